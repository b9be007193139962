import { type Stats, statSync } from "node:fs";
import { lstat, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { LocalSource, repairSkill } from "@skillet/core";
import { MAX_SKILL_BYTES, parseSkillBytes, readToolsets } from "@skillet/core/internal";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { canonicalPath, writeAtomic } from "@skillet/kit/files";
import { changedLines, type ValidationResult } from "./validation-report.ts";

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

/** Makes the repairs that cannot change what a skill says, and checks the result; `write: false` only shows them. */
export async function fixSkillFile(
  skill: SkillFile,
  options: { readonly write: boolean },
): Promise<ValidationResult> {
  const checked = await checkSkillFile(skill);
  const { text: before, bytes } = checked;
  // Bytes that are no text would be lost in writing it back, and what is a fault of a skill may be none of a command.
  if (before === undefined || bytes === undefined || !isUtf8(bytes) || skill.kind === "command")
    return checked;
  const { file, directoryName } = skill;
  const { text, applied } = repairSkill(before, { file, directoryName });
  if (text === before) return checked;
  const content = Buffer.from(text);
  const refusal = skill.isLink ? linkRefused(file) : options.write && (await replace(skill, bytes, content));
  if (refusal) return { ...checked, diagnostics: [...checked.diagnostics, refusal] };
  const repairs = { applied, changes: changedLines(before, text), written: options.write };
  if (!options.write) {
    const remaining = [...checkBytes(skill, content), ...(await checkToolsets(skill, content))];
    return { ...checked, repairs: { ...repairs, remaining } };
  }
  const after = await checkSkillFile(skill);
  return { ...after, repairs: { ...repairs, remaining: after.diagnostics } };
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

function linkRefused(file: string): Diagnostic {
  return {
    code: "link-refused",
    severity: "warning",
    message:
      "It is reached through a link, so it was not repaired: what a link leads to may be somebody else's.",
    file,
    hint: "Run the command on the file itself.",
  };
}

/** Writes a file that still holds what was read from it; what keeps it from that must not keep others from theirs. */
async function replace(
  { source, sourcePath, file }: SkillFile,
  expected: Uint8Array,
  content: Uint8Array,
): Promise<Diagnostic | undefined> {
  try {
    const now = await source.read(sourcePath, { maxBytes: MAX_SKILL_BYTES });
    if (now.truncated || !Buffer.from(now.bytes).equals(expected)) return changedMeanwhile(file);
    await writeAtomic(source.toolPath(sourcePath), content, { links: "refuse" });
    return undefined;
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    const hint = "Check the permissions of the file and its folder, and the space on the disk.";
    return { code: error.code, severity: "error", message: error.message, file, hint };
  }
}

function changedMeanwhile(file: string): Diagnostic {
  return {
    code: "file-changed",
    severity: "error",
    message: "It changed while it was being repaired, so it was left alone.",
    file,
    hint: "Run the command again.",
  };
}

/** Reads a file through the file gate and holds it against the specification, or what commands are read by. */
export async function checkSkillFile(skill: SkillFile): Promise<ValidationResult> {
  const { kind, path, file } = skill;
  const read = await readOrExplain(skill);
  if (!("bytes" in read)) return { kind, path, diagnostics: [read] };
  const { bytes } = read;
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const diagnostics = [...checkBytes(skill, bytes), ...(await checkToolsets(skill, bytes))];
  return { kind, path, diagnostics, file, text, bytes };
}

/** Holds what a file holds, or would hold, against the specification. */
function checkBytes(skill: SkillFile, bytes: Uint8Array): readonly Diagnostic[] {
  const { file, directoryName } = skill;
  if (skill.kind === "command") return checkCommand(skill, bytes);
  const { diagnostics } = parseSkillBytes(bytes, { mode: "strict", file, directoryName });
  return [...spelling(skill), ...diagnostics];
}

// The specification is about skills. A command only has to load, and is named and described without a header.
function checkCommand({ file, directoryName }: SkillFile, bytes: Uint8Array): readonly Diagnostic[] {
  const { manifest, diagnostics } = parseSkillBytes(bytes, { mode: "lenient", file, directoryName });
  return manifest === undefined ? diagnostics : diagnostics.filter(({ code }) => !NOT_FOR_COMMANDS.has(code));
}

const NOT_FOR_COMMANDS: ReadonlySet<string> = new Set([
  "missing-name",
  "name-directory-mismatch",
  "missing-frontmatter",
  "missing-description",
]);

function spelling({ file, sourcePath }: SkillFile): readonly Diagnostic[] {
  const hint = "Rename it to SKILL.md.";
  switch (basename(sourcePath)) {
    case "SKILL.md":
      return [];
    case "skill.md": {
      const message = "The file is called skill.md; not every client reads that.";
      return [{ code: "lower-case-skill-file", severity: "warning", message, file, hint }];
    }
    default: {
      const message = "A skill's file is called SKILL.md.";
      return [{ code: "not-a-skill-file", severity: "error", message, file, hint }];
    }
  }
}

async function readOrExplain(skill: SkillFile): Promise<{ readonly bytes: Uint8Array } | Diagnostic> {
  const { file } = skill;
  try {
    const read = await skill.source.read(skill.sourcePath, { maxBytes: MAX_SKILL_BYTES });
    if (!read.truncated) return read;
    return {
      code: "skill-too-large",
      severity: "error",
      message: `The file is larger than ${MAX_SKILL_BYTES} bytes and was not read.`,
      file,
      hint: "Move what is long into files under references/, which are read only when wanted.",
    };
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    const hint = HINTS.get(error.code) ?? "Replace it with a regular file that you may read.";
    return { code: error.code, severity: "error", message: error.message, file, hint };
  }
}

const HINTS: ReadonlyMap<string, string> = new Map([
  ["file-not-found", "Check the spelling: the file is called SKILL.md."],
  ["permission-denied", "Change the file's permissions, or run as a user who may read it."],
  ["path-outside-root", "Put the file into the skill's folder instead of linking to it."],
]);

async function checkToolsets(skill: SkillFile, bytes: Uint8Array): Promise<readonly Diagnostic[]> {
  // Most skills have none, and parsing a second time would cost as much as the rest.
  if (skill.kind === "command" || !Buffer.from(bytes).includes("toolsets")) return [];
  const { file, directoryName, source, sourcePath } = skill;
  const { manifest } = parseSkillBytes(bytes, { mode: "lenient", file, directoryName });
  const entries = manifest?.toolsets ?? [];
  if (entries.length === 0) return [];
  const folder = join(dirname(sourcePath), ".");
  const toolsets = await readToolsets(entries, {
    skillPath: file,
    files: (await source.listFiles(folder)).files,
    read: (path, options) => source.read(join(folder, path), options),
    pathOf: (path) => join(dirname(file), path),
  });
  return toolsets.flatMap(({ diagnostics }) => diagnostics);
}
