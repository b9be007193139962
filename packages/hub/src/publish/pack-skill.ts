import type { TreeFile } from "@skillet/core";
import { type PackedFile, packTar } from "@skillet/kit/archive";
import { treeDigestOf } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { compareByteOrder } from "@skillet/kit/order";
import { gzipSync } from "fflate";
import { DEFAULT_HUB_LIMITS } from "../hub-limits.ts";
import { unpackArchive } from "../sources/archive.ts";
import { checkEntryPath, findCollisions } from "../sources/entry-path.ts";
import { publishRefused, type SkillToPublish } from "./skill-to-publish.ts";

/** Packs a skill and unpacks it again as clients will: what could not be installed is not published. */
export function packChecked({ name, files }: SkillToPublish): Uint8Array {
  const bytes = packTarGz(files);
  if (bytes.length > DEFAULT_HUB_LIMITS.maxDownloadBytes)
    throw publishRefused(
      name,
      `packed it has ${bytes.length} bytes, and clients take ${DEFAULT_HUB_LIMITS.maxDownloadBytes}`,
      "move large files elsewhere",
    );
  const unpacked = unpackArchive(bytes, { name: `${name}.tar.gz`, limits: DEFAULT_HUB_LIMITS });
  const [expected, found] = [treeDigestOf(files), treeDigestOf(unpacked)];
  if (expected === found) return bytes;
  const message = `${name} was packed and unpacked again, and came out as ${found} instead of ${expected}; nothing was published. Please report this.`;
  throw new SkilletError("pack-damaged", message, { data: { expected, found } });
}

const OS_BYTE = 9;
const OS_UNKNOWN = 255;

/**
 * Packs a tree into a tar.gz: same tree, same bytes, on any machine.
 *
 * Compressed by a library in JavaScript, because the zlib that Node brings gives other bytes on other processors and
 * in other versions. Another version of that library may still give others, so digests are always those of the bytes
 * that were written, and the tree has a digest of its own.
 */
export function packTarGz(files: readonly TreeFile[]): Uint8Array {
  // A fixed memory level: the default follows from a logarithm, which engines may round differently.
  const bytes = gzipSync(packTar(packedFiles(files)), { level: 9, mem: 4, mtime: 0 });
  bytes[OS_BYTE] = OS_UNKNOWN;
  return bytes;
}

/** The files in byte order of path; refuses everything that could not be unpacked again. */
export function packedFiles(files: readonly TreeFile[]): readonly PackedFile[] {
  if (!files.some(({ path }) => path === "SKILL.md"))
    throw refused("it has no SKILL.md at its root", "publish the folder of one skill");
  const collision = findCollisions(files.map(({ path }) => path));
  if (collision !== undefined) throw refused(collision, "rename one of the files");
  return files.map(checkFile).sort((left, right) => compareByteOrder(left.path, right.path));
}

function checkFile({ path, mode, bytes }: TreeFile): PackedFile {
  const problem = checkEntryPath(path);
  if (mode === "120000")
    throw refused(`${path} is a link, which no client unpacks`, "put the file itself there");
  if (path.startsWith("__MACOSX/"))
    throw refused(`${path} was added by an archiver and is left out by clients`, "remove it");
  if (problem !== undefined) throw refused(`${JSON.stringify(path)} ${problem}`, "rename it");
  return { path, mode, bytes };
}

function refused(what: string, remedy: string): SkilletError {
  return new SkilletError("pack-refused", `The skill cannot be packed: ${what}; ${remedy}.`);
}
