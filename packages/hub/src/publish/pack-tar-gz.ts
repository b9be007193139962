import type { TreeFile } from "@skillet/core";
import { gzipSync } from "fflate";
import { packTar } from "./pack-tar.ts";

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
  const bytes = gzipSync(packTar(files), { level: 9, mem: 4, mtime: 0 });
  bytes[OS_BYTE] = OS_UNKNOWN;
  return bytes;
}
