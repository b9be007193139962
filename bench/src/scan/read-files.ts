import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { basename, join } from "node:path";
import type { SkillFile } from "@skillet/scan";

const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** Every file below a folder, skills in skills too, or the one file that a path names. */
export function readFiles(path: string): readonly SkillFile[] {
  if (!lstatSync(path).isDirectory()) return [readOne(path, basename(path))];
  return readdirSync(path, { recursive: true, encoding: "utf8" })
    .sort()
    .flatMap((name) => {
      const absolute = join(path, name);
      return lstatSync(absolute).isDirectory() ? [] : [readOne(absolute, name)];
    });
}

/** One file; a link as the text of its target, and what is no file or too long as unread. */
export function readOne(absolute: string, path: string): SkillFile {
  const status = lstatSync(absolute);
  const nothing = new Uint8Array();
  if (status.isSymbolicLink())
    return { path, mode: "120000", bytes: Buffer.from(readlinkSync(absolute, "utf8")) };
  if (!status.isFile()) return { path, mode: "644", bytes: nothing, unread: "it is no file" };
  if (status.size > MAX_FILE_BYTES) return { path, mode: "644", bytes: nothing, unread: "it is too long" };
  return { path, mode: (status.mode & 0o111) === 0 ? "644" : "755", bytes: readFileSync(absolute) };
}
