import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs";
import { errorCode } from "../error-code.ts";
import { SkilletError } from "../skillet-error.ts";
import type { FileStamp } from "./skill-source.ts";

// O_NOFOLLOW: a link swapped in after the check is refused. O_NONBLOCK: opening a FIFO returns at once.
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** An open regular file, valid until `use` returns. */
export interface OpenFile {
  readonly descriptor: number;
  readonly stats: Stats;
}

/** Opens a regular file without following a link or waiting on a FIFO, and closes it whatever happens. */
export function withRegularFile<Result>(path: string, use: (file: OpenFile) => Result): Result {
  const descriptor = openNoFollow(path);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw notRegular(path);
    return use({ descriptor, stats });
  } finally {
    closeSync(descriptor);
  }
}

/** Fills the buffer, or its first `length` bytes, from the start of the file; returns how many bytes there were. */
export function readInto(descriptor: number, buffer: Uint8Array, length: number = buffer.length): number {
  let filled = 0;
  while (filled < length) {
    const count = readSync(descriptor, buffer, filled, length - filled, filled);
    if (count === 0) break;
    filled += count;
  }
  return filled;
}

/** The part of a file's status that changes when its content may have. */
export function stampOf(stats: Stats): FileStamp {
  return { size: stats.size, modifiedMs: stats.mtimeMs, changedMs: stats.ctimeMs, inode: stats.ino };
}

function openNoFollow(path: string): number {
  try {
    return openSync(path, FLAGS);
  } catch (error) {
    throw explainOpen(path, error);
  }
}

function explainOpen(path: string, error: unknown): unknown {
  const code = errorCode(error);
  const data = { path, errno: code };
  if (code === "ENOENT" || code === "ENOTDIR")
    return new SkilletError("file-not-found", `There is no file at ${path}.`, { data, cause: error });
  if (code === "EACCES" || code === "EPERM")
    return new SkilletError("permission-denied", `${path} may not be read; check its permissions.`, {
      data,
      cause: error,
    });
  if (code === "ELOOP")
    return new SkilletError("link-refused", `${path} is a link, which is not followed here.`, {
      data,
      cause: error,
    });
  // Sockets and devices without a driver.
  if (code === "ENXIO" || code === "ENODEV") return notRegular(path);
  return error;
}

function notRegular(path: string): SkilletError {
  return new SkilletError("not-a-file", `${path} is not a regular file.`, { data: { path } });
}
