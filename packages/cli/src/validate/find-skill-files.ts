import type { Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { type Diagnostic, LocalSource } from "@skillet/core";
import type { FoundFiles } from "./skill-file.ts";

/** Finds what a path means: a SKILL.md, a skill's folder, or a folder of skills. */
export async function findSkillFiles(path: string, workingDirectory: string): Promise<FoundFiles> {
  const absolute = resolve(workingDirectory, path);
  const found = await statPath(absolute);
  if (typeof found === "string") return { files: [], diagnostics: [problem(path, found)] };
  if (!found.isDirectory()) return namedFile(path, absolute);
  const source = new LocalSource(absolute);
  const { folders, diagnostics } = await source.listSkills();
  const files = folders.map(({ path: folder, file }) => ({
    path: join(path, folder),
    file: join(path, folder, file),
    source,
    sourcePath: folder === "" ? file : `${folder}/${file}`,
    directoryName: basename(folder === "" ? absolute : folder),
  }));
  const relative = diagnostics.map((diagnostic) => ({
    ...diagnostic,
    file: asGiven(diagnostic.file, absolute, path),
  }));
  const nothing = files.length === 0 && !relative.some(({ severity }) => severity === "error");
  return { files, diagnostics: nothing ? [...relative, problem(path, "no-skill")] : relative };
}

function namedFile(path: string, absolute: string): FoundFiles {
  const directory = dirname(absolute);
  const name = basename(absolute);
  const file = {
    path,
    file: path,
    source: new LocalSource(directory),
    sourcePath: name,
    directoryName: basename(directory),
  };
  return {
    files: [file],
    diagnostics: name === "SKILL.md" || name === "skill.md" ? [] : [problem(path, "not-a-skill-file")],
  };
}

async function statPath(absolute: string): Promise<Stats | Problem> {
  try {
    return await stat(absolute);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return "path-not-found";
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
  "not-a-skill-file": ["A skill's file is called SKILL.md.", "Rename the file to SKILL.md."],
} as const;

function problem(path: string, code: Problem): Diagnostic {
  const [message, hint] = PROBLEMS[code];
  return { code, severity: "error", message, file: path, hint };
}

// The source reports absolute paths; people want them as they typed them.
function asGiven(file: string, absolute: string, path: string): string {
  if (file === absolute) return path;
  return file.startsWith(`${absolute}/`) ? join(path, file.slice(absolute.length + 1)) : file;
}
