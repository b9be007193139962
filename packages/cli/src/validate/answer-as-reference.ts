import { existsSync, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { LocalSource, validateSkill } from "@skillet/core";
import { MAX_SKILL_BYTES } from "@skillet/core/internal";
import { SkilletError } from "@skillet/kit/errors";
import type { CommandContext, ExitCode } from "../context/command-context.ts";
import { printJson } from "../ui/json-document.ts";
import { showControl } from "../ui/text.ts";

export async function answerAsReference(
  { terminal, json, workspace }: CommandContext,
  paths: readonly string[],
): Promise<ExitCode> {
  const answers: ReferenceAnswer[] = [];
  for (const path of paths) answers.push(await validateAsReference(path, workspace));
  if (json)
    printJson(terminal, {
      results: answers.map(({ path, errors }) => ({
        path,
        valid: errors.length === 0,
        diagnostics: errors.map((message) => ({ code: "reference", severity: "error", message, file: path })),
      })),
    });
  for (const { path, errors, exists } of json ? [] : answers) {
    const shown = errors.map(showControl);
    if (shown.length === 0) terminal.print(`Valid skill: ${showControl(path)}`);
    else if (!exists) terminal.warn(shown.map((error) => `Error: ${error}`));
    else
      terminal.warn([`Validation failed for ${showControl(path)}:`, ...shown.map((error) => `  - ${error}`)]);
  }
  if (answers.some(({ exists }) => !exists)) return 2;
  return answers.every(({ errors }) => errors.length === 0) ? 0 : 1;
}

interface ReferenceAnswer {
  /** Spelled as the reference does: without `./`, and the folder if its SKILL.md was named. */
  readonly path: string;
  readonly errors: readonly string[];
  /** The reference treats a path that does not exist as wrong usage, not as an invalid skill. */
  readonly exists: boolean;
}

async function validateAsReference(given: string, workingDirectory: string): Promise<ReferenceAnswer> {
  const absolute = resolve(workingDirectory, given);
  const spelled = pythonPath(given);
  if (!existsSync(absolute)) {
    const error = `Invalid value for 'SKILL_PATH': Path '${given}' does not exist.`;
    return { path: spelled, exists: false, errors: [error] };
  }
  const isFile = !statSync(absolute).isDirectory();
  const isSkillFile = isFile && basename(given).toLowerCase() === "skill.md";
  const path = isSkillFile ? pythonPath(dirname(spelled)) : spelled;
  if (isFile && !isSkillFile) return { path, exists: true, errors: [`Not a directory: ${path}`] };
  // Resolved, because `.` has no name to compare with.
  return { path, exists: true, errors: await validateFolder(resolve(workingDirectory, path)) };
}

async function validateFolder(directory: string): Promise<readonly string[]> {
  const source = new LocalSource(directory);
  for (const name of ["SKILL.md", "skill.md"]) {
    try {
      const { bytes, truncated } = await source.read(name, { maxBytes: MAX_SKILL_BYTES });
      if (truncated) return [`SKILL.md is larger than ${MAX_SKILL_BYTES} bytes`];
      const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
      return validateSkill({ text, directoryName: basename(directory) });
    } catch (error) {
      // The reference crashes with a stack trace on these; an answer is more useful.
      if (error instanceof TypeError) return ["SKILL.md is not valid UTF-8"];
      if (!SkilletError.isInstance(error)) throw error;
      if (error.code !== "file-not-found") return [error.message];
    }
  }
  return ["Missing required file: SKILL.md"];
}

// Python's Path drops `.` and empty segments, and keeps `..`.
function pythonPath(path: string): string {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  const joined = `${path.startsWith("/") ? "/" : ""}${parts.join("/")}`;
  return joined === "" ? "." : joined;
}
