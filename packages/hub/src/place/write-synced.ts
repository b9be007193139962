import { type FileHandle, open } from "node:fs/promises";

/** Creates a file that must not exist, and returns when its bytes are on disk. */
export async function writeSynced(
  path: string,
  content: Uint8Array | string,
  options: { readonly mode: number; prepare?(handle: FileHandle): Promise<void> },
): Promise<void> {
  const handle = await open(path, "wx", options.mode);
  try {
    await handle.writeFile(content);
    await options.prepare?.(handle);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
