import { constants, readlinkSync } from "node:fs";
import { open } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/**
 * Uses a file, by its canonical path, in a folder that is held open: otherwise a concurrent command could
 * replace the folder with a link between check and use. Only on Linux; elsewhere the path is used directly.
 */
export async function inHeldFolder<Result>(
  path: string,
  use: (path: string) => Result | Promise<Result>,
): Promise<Result> {
  if (process.platform !== "linux") return use(path);
  const folder = dirname(path);
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  const held = `/proc/self/fd/${handle.fd}`;
  try {
    if (readlinkSync(held) !== folder) throw new Error(`${folder} is not the folder that it was.`);
    return await use(join(held, basename(path)));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new Error(error.message.replaceAll(held, folder), { cause: error });
  } finally {
    await handle.close();
  }
}
