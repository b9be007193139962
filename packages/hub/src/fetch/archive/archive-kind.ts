import { tarChecksum, tarNumber } from "./tar-header.ts";

/** What bytes are, judged by themselves: names and content types are only what somebody says. */
export function archiveKind(bytes: Uint8Array): "zip" | "gzip" | "tar" | undefined {
  if (startsWith(bytes, [0x50, 0x4b, 3, 4]) || startsWith(bytes, [0x50, 0x4b, 5, 6])) return "zip";
  if (startsWith(bytes, [0x1f, 0x8b])) return "gzip";
  if (bytes.length < 512) return undefined;
  const header = bytes.subarray(0, 512);
  return tarNumber(header.subarray(148, 156)) === tarChecksum(header) ? "tar" : undefined;
}

function startsWith(bytes: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, index) => bytes[index] === byte);
}
