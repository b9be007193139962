import type { TreeFile } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import { compareByteOrder } from "@skillet/kit/order";
import { checkEntryPath, findCollisions } from "../fetch/check-entry-path.ts";

/** A file as an archive holds it. */
export interface PackedFile extends TreeFile {
  readonly mode: "644" | "755";
  /** Its path in UTF-8. */
  readonly name: Buffer;
}

/** The files in byte order of path, once everything that nobody could unpack again was refused. */
export function packedFiles(files: readonly TreeFile[]): readonly PackedFile[] {
  if (!files.some(({ path }) => path === "SKILL.md"))
    throw refused("it has no SKILL.md at its root", "publish the folder of one skill");
  const collision = findCollisions(files.map(({ path }) => path));
  if (collision !== undefined) throw refused(collision, "rename one of the files");
  return files
    .map((file) => ({ ...file, mode: modeOf(file), name: nameOf(file) }))
    .sort((left, right) => compareByteOrder(left.path, right.path));
}

function modeOf({ path, mode }: TreeFile): "644" | "755" {
  if (mode !== "120000") return mode;
  throw refused(`${path} is a link, which no client unpacks`, "put the file itself there");
}

function nameOf({ path }: TreeFile): Buffer {
  const problem = checkEntryPath(path);
  if (path.startsWith("__MACOSX/"))
    throw refused(`${path} was added by an archiver and is left out by clients`, "remove it");
  if (problem !== undefined) throw refused(`${JSON.stringify(path)} ${problem}`, "rename it");
  return Buffer.from(path);
}

function refused(what: string, remedy: string): SkilletError {
  return new SkilletError("pack-refused", `The skill cannot be packed: ${what}; ${remedy}.`);
}
