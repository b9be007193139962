import { lstatSync, readdirSync, readlinkSync } from "node:fs";
import { compareByteOrder } from "../../byte-order.ts";
import type { Diagnostic } from "../../diagnostic.ts";
import { errorCode } from "../../error-code.ts";
import { isSkillFileName } from "../skill-file-name.ts";
import type { FileListing, SourceFile } from "../skill-source.ts";

// A skill is read by people and models; these are far above any real one and end a hostile one.
const MAX_DEPTH = 16;
const MAX_FOLDERS = 2_000;
const MAX_FILES = 20_000;

/** Lists every file of the skill in a folder, without `.git` and nested skills; links are listed, never followed. */
export function listSkillFiles(absolute: string, label: string): FileListing {
  const files: SourceFile[] = [];
  const diagnostics: Diagnostic[] = [];
  const queue: Folder[] = [{ path: "", depth: 0 }];
  for (const folder of queue) {
    const entries = readSorted(absolute, folder.path, { label, diagnostics });
    const isFull = entries.some(
      (entry) => !place(entry, folder, { queue, files, diagnostics, absolute, label }),
    );
    if (!isFull) continue;
    diagnostics.push(tooLarge(label));
    break;
  }
  files.sort((left, right) => compareByteOrder(left.path, right.path));
  return { files, diagnostics };
}

interface Folder {
  readonly path: string;
  readonly depth: number;
}

interface Entry {
  readonly name: string;
  readonly isDirectory: boolean;
}

// Queues a folder or lists a file; false when the skill is larger than any real one.
function place(
  entry: Entry,
  folder: Folder,
  into: { queue: Folder[]; files: SourceFile[]; diagnostics: Diagnostic[]; absolute: string; label: string },
): boolean {
  const path = folder.path === "" ? entry.name : `${folder.path}/${entry.name}`;
  if (!entry.isDirectory) {
    if (into.files.length >= MAX_FILES) return false;
    addFile(into.files, into.diagnostics, { absolute: into.absolute, path, label: into.label });
    return true;
  }
  if (entry.name === ".git") return true;
  if (folder.depth >= MAX_DEPTH || into.queue.length >= MAX_FOLDERS) return false;
  into.queue.push({ path, depth: folder.depth + 1 });
  return true;
}

function readSorted(
  absolute: string,
  path: string,
  context: { label: string; diagnostics: Diagnostic[] },
): Entry[] {
  try {
    const entries = readdirSync(path === "" ? absolute : `${absolute}/${path}`, { withFileTypes: true });
    // A nested skill is a skill of its own: its files and digest are not its parent's.
    if (path !== "" && entries.some((entry) => isSkillFileName(entry.name))) return [];
    return entries
      .map((entry) => ({ name: entry.name, isDirectory: entry.isDirectory() }))
      .sort((left, right) => compareByteOrder(left.name, right.name));
  } catch (error) {
    const code = errorCode(error) ?? "unknown";
    context.diagnostics.push({
      code: "unreadable-skill-resource-directory",
      severity: "error",
      message: `The folder could not be read (${code}).`,
      file: path === "" ? context.label : `${context.label}/${path}`,
      hint: "Give yourself read permission, then reload.",
    });
    return [];
  }
}

function addFile(
  files: SourceFile[],
  diagnostics: Diagnostic[],
  at: { absolute: string; path: string; label: string },
): void {
  const place = `${at.absolute}/${at.path}`;
  try {
    const stats = lstatSync(place, { throwIfNoEntry: false });
    if (stats === undefined) return;
    if (stats.isSymbolicLink()) {
      const target = readlinkSync(place);
      files.push({ path: at.path, kind: "link", size: Buffer.byteLength(target), executable: false, target });
    } else if (stats.isFile())
      files.push({ path: at.path, kind: "file", size: stats.size, executable: (stats.mode & 0o111) !== 0 });
    else diagnostics.push(unreadable(at, "is neither a file, a folder nor a link, and was not opened"));
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    diagnostics.push(unreadable(at, `could not be looked at (${code})`));
  }
}

function unreadable(at: { path: string; label: string }, what: string): Diagnostic {
  return {
    code: "unreadable-skill-resource",
    severity: "error",
    message: `It ${what}.`,
    file: `${at.label}/${at.path}`,
    hint: "Make it a file that you may read, or remove it from the skill.",
  };
}

function tooLarge(label: string): Diagnostic {
  return {
    code: "resource-file-limit-exceeded",
    severity: "error",
    message: `The skill has more than ${MAX_FILES} files, ${MAX_FOLDERS} folders or ${MAX_DEPTH} levels; the rest was not listed.`,
    file: label,
    hint: "Move generated files, packages and data out of the skill.",
  };
}
