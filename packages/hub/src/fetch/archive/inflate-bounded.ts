import { createGunzip, createInflateRaw } from "node:zlib";
import { errorCode } from "@skillet/kit/errors";

const CHUNK_BYTES = 256 * 1024;

export type Inflated =
  /** `consumedBytes` of the input were compressed data; what follows them is something else. */
  { readonly bytes: Uint8Array; readonly consumedBytes: number } | { readonly fault: string };

/** Decompresses up to a bound and says what is wrong otherwise; a bomb costs no more than the bound. */
export async function inflateBounded(
  bytes: Uint8Array,
  { format, maxBytes }: { readonly format: "gzip" | "raw"; readonly maxBytes: number },
): Promise<Inflated> {
  const stream = (format === "gzip" ? createGunzip : createInflateRaw)({ chunkSize: CHUNK_BYTES });
  const chunks: Uint8Array[] = [];
  let total = 0;
  stream.end(bytes);
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      total += chunk.length;
      if (total > maxBytes) return { fault: `it unpacks to more than ${maxBytes} bytes` };
      chunks.push(chunk);
    }
  } catch (error) {
    const code = errorCode(error);
    if (code?.startsWith("Z_") !== true) throw error;
    return { fault: `its compressed data is damaged or cut off (${code})` };
  } finally {
    stream.destroy();
  }
  return { bytes: Buffer.concat(chunks), consumedBytes: stream.bytesWritten };
}
