import type { Writable } from "node:stream";
import type { ByteSource } from "./byte-source.ts";

/** Writes, and waits until it is taken: so no more than one piece of each connection waits in memory. */
export function writeBytes(stream: Writable, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(bytes, (error) => (error == null ? resolve() : reject(error)));
  });
}

/** Passes on everything to the end, and then the end. */
export async function relay(source: ByteSource, stream: Writable): Promise<void> {
  for (let piece = await source.next(); piece !== undefined; piece = await source.next())
    await writeBytes(stream, piece);
  await endStream(stream);
}

/** Ends a stream, and waits until everything before it is taken. */
export function endStream(stream: Writable): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.once("error", reject);
    stream.once("close", resolve);
    stream.end(resolve);
  });
}
