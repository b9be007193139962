import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs";
import { open } from "node:fs/promises";
import { errorCode, SkilletError } from "../errors.ts";
import { showName } from "../text.ts";
import { leadsNowhere } from "./paths.ts";

// O_NOFOLLOW: a link swapped in after the check is refused. O_NONBLOCK: opening a FIFO returns immediately.
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Opens a regular file without following a link or waiting on a FIFO, and always closes it. */
export function withRegularFile<Result>(
  path: string,
  use: (file: { readonly descriptor: number; readonly stats: Stats }) => Result,
): Result {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, FLAGS);
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw notRegular(path);
    return use({ descriptor, stats });
  } catch (error) {
    throw explain(path, error);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Fills the buffer, or its first `length` bytes, from the file's start; returns how many bytes it read. */
export function readInto(descriptor: number, buffer: Uint8Array, length: number = buffer.length): number {
  let filled = 0;
  while (filled < length) {
    const count = readSync(descriptor, buffer, filled, length - filled, filled);
    if (count === 0) break;
    filled += count;
  }
  return filled;
}

/** Reads a regular file of any size chunk by chunk; a link is followed, a FIFO refused. */
export async function* readChunks(path: string, chunkBytes: number): AsyncGenerator<Uint8Array> {
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(
    (error: unknown) => {
      throw explain(path, error);
    },
  );
  try {
    if (!(await handle.stat()).isFile()) throw notRegular(path);
    yield* handle.createReadStream({ highWaterMark: chunkBytes, autoClose: false });
  } finally {
    await handle.close();
  }
}

/** The parts of a file's status that change if its content may have changed. */
export interface FileStamp {
  readonly size: number;
  readonly modifiedMs: number;
  readonly changedMs: number;
  readonly inode: number;
}

export function stampOf(stats: Stats): FileStamp {
  return { size: stats.size, modifiedMs: stats.mtimeMs, changedMs: stats.ctimeMs, inode: stats.ino };
}

// For opening and reading: a file server can disappear between the two.
function explain(path: string, error: unknown): unknown {
  if (SkilletError.isInstance(error) || !leadsNowhere(error)) return error;
  const errno = errorCode(error);
  const shown = showName(path);
  const refusal = (code: string, message: string): SkilletError =>
    new SkilletError(code, message, { data: { path, errno }, cause: error });
  if (errno === "EACCES" || errno === "EPERM")
    return refusal("permission-denied", `${shown} may not be read; check its permissions.`);
  if (errno === "ELOOP") return refusal("link-refused", `${shown} is a link, which is not followed here.`);
  // Sockets and devices without a driver.
  if (errno === "ENXIO" || errno === "ENODEV") return notRegular(path);
  if (MISSING.has(errno)) return refusal("file-not-found", `There is no file at ${shown}.`);
  const message = `${shown} cannot be read (${errno}); check the disk or server that it is on.`;
  return refusal("file-unreadable", message);
}

const MISSING: ReadonlySet<string | undefined> = new Set([
  "ENOENT",
  "ENOTDIR",
  "ENAMETOOLONG",
  "EINVAL",
  "ERR_INVALID_ARG_VALUE",
]);

function notRegular(path: string): SkilletError {
  return new SkilletError("not-a-file", `${showName(path)} is not a regular file.`, { data: { path } });
}
