import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } from "node:zlib";
import { errorCode } from "../errors.ts";

export type Packing = "gzip" | "zlib" | "deflate" | "brotli";

export type Inflated =
  /** `consumedBytes` of the input were compressed data; what follows is something else. */
  | { readonly bytes: Uint8Array; readonly consumedBytes: number }
  | { readonly fault: string; readonly isBomb: boolean };

/** Decompresses up to a bound; a bomb costs no more than that. `allowCut` accepts data that ends too soon. */
export function inflate(
  bytes: Uint8Array,
  packing: Packing,
  { maxBytes, allowCut = false }: { readonly maxBytes: number; readonly allowCut?: boolean },
): Inflated {
  // Looked up here, so that Node's compression is loaded only when something is unpacked.
  const open = { gzip: gunzipSync, zlib: inflateSync, deflate: inflateRawSync, brotli: brotliDecompressSync };
  const tooLarge = { fault: `it unpacks to more than ${maxBytes} bytes`, isBomb: true };
  try {
    // `info` makes it return the stream as well, which the types omit.
    const { buffer, engine } = open[packing](bytes, {
      info: true,
      // Node ignores a bound of zero.
      maxOutputLength: Math.max(1, maxBytes),
      ...(allowCut && {
        finishFlush: packing === "brotli" ? constants.BROTLI_OPERATION_FLUSH : constants.Z_SYNC_FLUSH,
      }),
    }) as unknown as { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } };
    return buffer.length > maxBytes ? tooLarge : { bytes: buffer, consumedBytes: engine.bytesWritten };
  } catch (error) {
    const code = errorCode(error);
    if (code === "ERR_BUFFER_TOO_LARGE") return tooLarge;
    // Errors of zlib and of Brotli; any other error is a bug of ours.
    if (code === undefined || !/^(?:Z_|ERR__|ERR_BROTLI)/.test(code)) throw error;
    return { fault: `its compressed data is damaged or cut off (${code})`, isBomb: false };
  }
}
