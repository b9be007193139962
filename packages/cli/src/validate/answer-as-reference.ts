import { stat } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { LocalSource, validateSkill } from "@skillet/core";
import { MAX_SKILL_BYTES } from "@skillet/core/internal";
import { SkilletError } from "@skillet/kit/errors";
import type { CommandContext, ExitCode } from "../context/command-context.ts";
import { printJson } from "../ui/json-document.ts";
import type { Terminal } from "../ui/terminal.ts";
import { showControl } from "../ui/text.ts";

/** Prints what the reference validator prints for each path, with its exit codes. */
export async function answerAsReference(
  context: CommandContext,
  paths: readonly string[],
): Promise<ExitCode> {
  const { terminal } = context;
  const answers: ReferenceAnswer[] = [];
  for (const path of paths) answers.push(await validateAsReference(path, context.workspace));
  if (context.json) {
    printJson(terminal, {
      results: answers.map(({ path, errors }) => ({
        path,
        valid: errors.length === 0,
        diagnostics: errors.map((message) => ({ code: "reference", severity: "error", message, file: path })),
      })),
    });
  } else {
    for (const answer of answers) printAnswer(answer, terminal);
  }
  if (answers.some(({ exists }) => !exists)) return 2;
  return answers.every(({ errors }) => errors.length === 0) ? 0 : 1;
}

function printAnswer({ path, errors, exists }: ReferenceAnswer, terminal: Terminal): void {
  const shown = showControl(path);
  if (errors.length === 0) {
    terminal.print(`Valid skill: ${shown}`);
  } else if (!exists) {
    for (const error of errors) terminal.warn(`Error: ${showControl(error)}`);
  } else {
    terminal.warn(`Validation failed for ${shown}:`);
    for (const error of errors) terminal.warn(`  - ${showControl(error)}`);
  }
}

interface ReferenceAnswer {
  /** As the reference spells it: without `./`, and the folder where its SKILL.md was named. */
  readonly path: string;
  readonly errors: readonly string[];
  /** The reference calls a path that does not exist wrong use, not an invalid skill. */
  readonly exists: boolean;
}

async function validateAsReference(given: string, workingDirectory: string): Promise<ReferenceAnswer> {
  const kind = await pathKind(resolve(workingDirectory, given));
  const spelled = pythonPath(given);
  if (kind === "nothing") {
    return {
      path: spelled,
      exists: false,
      errors: [`Invalid value for 'SKILL_PATH': Path '${given}' does not exist.`],
    };
  }
  const isSkillFile = kind === "file" && basename(given).toLowerCase() === "skill.md";
  const path = isSkillFile ? pythonPath(dirname(spelled)) : spelled;
  if (kind === "file" && !isSkillFile) return { path, exists: true, errors: [`Not a directory: ${path}`] };
  // Resolved, because `.` has no name of its own to compare with.
  const directory = resolve(workingDirectory, path);
  return { path, exists: true, errors: await validateFolder(directory) };
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
      // The reference ends with a stack trace on these; an answer is more use.
      if (error instanceof TypeError) return ["SKILL.md is not valid UTF-8"];
      if (!SkilletError.isInstance(error)) throw error;
      if (error.code !== "file-not-found") return [error.message];
    }
  }
  return ["Missing required file: SKILL.md"];
}

async function pathKind(path: string): Promise<"nothing" | "file" | "folder"> {
  try {
    return (await stat(path)).isDirectory() ? "folder" : "file";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP") return "nothing";
    throw error;
  }
}

// Python's Path drops `.` and empty segments, and keeps `..`.
function pythonPath(path: string): string {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  const joined = `${path.startsWith("/") ? "/" : ""}${parts.join("/")}`;
  return joined === "" ? "." : joined;
}
