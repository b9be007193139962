import { type Stats, statSync } from "node:fs";
import { lstat, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { LocalSource } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { canonicalPath } from "@skillet/kit/files";

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

const COMMANDS = join(".claude", "commands");

/** The files of `.claude/commands` that a folder means: it lies in there, or has one of its own. */
async function findCommandFiles(path: string, absolute: string): Promise<FoundFiles> {
  const inner = innerFolder(absolute);
  const folder = join(absolute, inner);
  // Files behind a link out of what was named are not asked for. The search for skills reports such links, and folders
  // that cannot be entered.
  if (!isFolder(folder) || leaves(canonicalPath(folder), canonicalPath(absolute)))
    return { files: [], diagnostics: [] };
  const given = join(path, inner);
  const source = new LocalSource(folder, { layout: "commands" });
  const { folders, diagnostics } = await source.listSkills();
  return {
    files: folders.map(({ path: below, file }) => ({
      kind: "command",
      path: join(given, below, file),
      file: join(given, below, file),
      source,
      sourcePath: below === "" ? file : `${below}/${file}`,
      directoryName: commandName(file),
      isLink: false,
    })),
    diagnostics: diagnostics.map((diagnostic) => ({
      ...diagnostic,
      file: join(given, relative(folder, diagnostic.file)),
    })),
  };
}

function isCommandPath(absolute: string): boolean {
  return `${absolute}${sep}`.includes(`${sep}${COMMANDS}${sep}`);
}

/** What a command is called: its file without the ending. */
function commandName(file: string): string {
  return basename(file, ".md");
}

function innerFolder(absolute: string): string {
  if (isCommandPath(absolute)) return "";
  return basename(absolute) === ".claude" ? "commands" : COMMANDS;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (["EACCES", "EPERM", "ELOOP", "ENAMETOOLONG"].includes(code)) return false;
    throw error;
  }
}

function leaves(target: string, root: string): boolean {
  return target !== root && !target.startsWith(root === sep ? root : `${root}${sep}`);
}

/** One SKILL.md, or one file of `.claude/commands`, that `validate` looks at, and how to read it. */
export interface SkillFile {
  readonly kind: "skill" | "command";
  /** What the result is called: the skill's folder, or the file of a command or where a file was named. */
  readonly path: string;
  /** The file itself, named in diagnostics. */
  readonly file: string;
  readonly source: LocalSource;
  /** The file inside the source. */
  readonly sourcePath: string;
  /** The folder's name, or a command file's without `.md`. */
  readonly directoryName: string;
  /** The file lies elsewhere, so it is not written here. */
  readonly isLink: boolean;
}

/** What was found at a path: files to check, and what could not be entered or is not there. */
interface FoundFiles {
  readonly files: readonly SkillFile[];
  /** Faults that belong to no single file. */
  readonly diagnostics: readonly Diagnostic[];
}
