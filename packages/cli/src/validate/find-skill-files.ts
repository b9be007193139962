import type { Stats } from "node:fs";
import { lstat, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { LocalSource } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { commandName, findCommandFiles, isCommandPath } from "./find-command-files.ts";
import type { FoundFiles, SkillFile } from "./skill-file.ts";

/** Finds what a path means: a SKILL.md, a skill's folder, a folder of skills, or commands of Claude. */
export async function findSkillFiles(path: string, workingDirectory: string): Promise<FoundFiles> {
  const absolute = resolve(workingDirectory, path);
  const found = await statPath(absolute);
  if (typeof found === "string") return { files: [], diagnostics: [problem(path, found)] };
  if (!found.isDirectory()) return { files: [await namedFile(path, absolute)], diagnostics: [] };
  const skills = isCommandPath(absolute) ? NOTHING : await listSkills(path, absolute);
  const commands = await findCommandFiles(path, absolute);
  const files = [...skills.files, ...commands.files];
  const diagnostics = [...skills.diagnostics, ...commands.diagnostics];
  const isEmpty = files.length === 0 && !diagnostics.some(({ severity }) => severity === "error");
  return { files, diagnostics: isEmpty ? [...diagnostics, problem(path, "no-skill")] : diagnostics };
}

const NOTHING: FoundFiles = { files: [], diagnostics: [] };

async function listSkills(path: string, absolute: string): Promise<FoundFiles> {
  const source = new LocalSource(absolute);
  const { folders, diagnostics } = await source.listSkills();
  return {
    files: folders.map(({ path: folder, file, canonicalFile }) => ({
      kind: "skill",
      path: join(path, folder),
      file: join(path, folder, file),
      source,
      sourcePath: folder === "" ? file : `${folder}/${file}`,
      directoryName: basename(folder === "" ? absolute : folder),
      isLink: canonicalFile !== undefined && canonicalFile !== join(source.canonicalRoot, folder, file),
    })),
    diagnostics: asGiven(diagnostics, absolute, path),
  };
}

async function namedFile(path: string, absolute: string): Promise<SkillFile> {
  const directory = dirname(absolute);
  const isCommand = isCommandPath(directory) && absolute.endsWith(".md");
  return {
    kind: isCommand ? "command" : "skill",
    path,
    file: path,
    source: new LocalSource(directory),
    sourcePath: basename(absolute),
    directoryName: isCommand ? commandName(absolute) : basename(directory),
    isLink: (await lstat(absolute)).isSymbolicLink(),
  };
}

async function statPath(absolute: string): Promise<Stats | Problem> {
  try {
    return await stat(absolute);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ENAMETOOLONG") return "path-not-found";
    if (code === "EACCES" || code === "EPERM") return "permission-denied";
    if (code === "ELOOP") return "link-loop";
    throw error;
  }
}

type Problem = keyof typeof PROBLEMS;

const PROBLEMS = {
  "path-not-found": [
    "There is nothing at this path.",
    "Check the spelling, or run the command from another folder.",
  ],
  "permission-denied": ["This path may not be read.", "Change its permissions, or run as a user who may."],
  "link-loop": ["This link leads back to itself.", "Remove the link, or point it at a file."],
  "no-skill": [
    "There is no SKILL.md here or below.",
    "Name a SKILL.md, a skill's folder, or a folder of skills.",
  ],
} as const;

function problem(path: string, code: Problem): Diagnostic {
  const [message, hint] = PROBLEMS[code];
  return { code, severity: "error", message, file: path, hint };
}

// The source reports absolute paths; people want them as they typed them.
function asGiven(diagnostics: readonly Diagnostic[], absolute: string, path: string): Diagnostic[] {
  return diagnostics.map((diagnostic) => {
    const { file } = diagnostic;
    if (file === absolute) return { ...diagnostic, file: path };
    if (!file.startsWith(`${absolute}/`)) return diagnostic;
    return { ...diagnostic, file: join(path, file.slice(absolute.length + 1)) };
  });
}
