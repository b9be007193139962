export type { ArchiveEntry, ArchiveFault, ArchiveItem } from "./archive/archive-entry.ts";
export { type Inflated, inflate, type Packing } from "./archive/inflate.ts";
export { type PackedFile, packTar, TAR_BLOCK_BYTES, tarHeader, tarPadding } from "./archive/pack-tar.ts";
export { isTar, readTar } from "./archive/read-tar.ts";
export { readZip } from "./archive/read-zip.ts";
