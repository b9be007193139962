import { statSync } from "node:fs";
import { basename, join, relative, sep } from "node:path";
import { LocalSource } from "@skillet/core";
import { canonicalPath } from "@skillet/kit/files";
import type { FoundFiles } from "./skill-file.ts";

const COMMANDS = join(".claude", "commands");

/** The files of `.claude/commands` that a folder means: it lies in there, or has one of its own. */
export async function findCommandFiles(path: string, absolute: string): Promise<FoundFiles> {
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

/** Whether a folder is one of Claude's commands, or lies in one. */
export function isCommandPath(absolute: string): boolean {
  return `${absolute}${sep}`.includes(`${sep}${COMMANDS}${sep}`);
}

/** What a command is called: its file without the ending. */
export function commandName(file: string): string {
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
