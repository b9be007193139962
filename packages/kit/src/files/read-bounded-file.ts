import { lstatSync, realpathSync } from "node:fs";
import { errorCode, SkilletError } from "../errors.ts";
import { readInto, withRegularFile } from "./open-regular-file.ts";

/**
 * Reads one of Skillet's own files whole, or returns undefined if it does not exist.
 *
 * Links are followed unless `links` refuses them, because users keep such files in dotfiles.
 * FIFOs, devices, folders, dangling links and files beyond `maxBytes` are errors, and nothing is waited for.
 */
export function readBoundedFile(
  path: string,
  options: { readonly maxBytes: number; readonly links?: "follow" | "refuse" },
): Uint8Array | undefined {
  if (!exists(path)) return undefined;
  return withRegularFile(options.links === "refuse" ? path : followLinks(path), ({ descriptor, stats }) => {
    if (stats.size > options.maxBytes) throw tooLarge(path, options.maxBytes);
    // An extra byte of room reveals a file that grows meanwhile, or whose size is wrong, as in /proc.
    for (let capacity = stats.size + 1; ; capacity = Math.min(capacity * 2 + 4096, options.maxBytes + 1)) {
      const buffer = new Uint8Array(capacity);
      const length = readInto(descriptor, buffer);
      if (length > options.maxBytes) throw tooLarge(path, options.maxBytes);
      if (length < capacity) return buffer.subarray(0, length);
    }
  });
}

function exists(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return false;
    throw unreadable(path, error);
  }
}

function followLinks(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") {
      const message = `${path} is a link to a file that does not exist; repair the link or remove it.`;
      throw new SkilletError("file-not-found", message, { data: { path }, cause: error });
    }
    throw unreadable(path, error);
  }
}

function tooLarge(path: string, maxBytes: number): SkilletError {
  const message = `${path} is larger than ${maxBytes} bytes, the most that is read.`;
  return new SkilletError("file-too-large", message, { data: { path, maxBytes } });
}

function unreadable(path: string, cause: unknown): SkilletError {
  const code = errorCode(cause) ?? "unknown error";
  const message = `${path} cannot be read (${code}); check it and its permissions.`;
  return new SkilletError("file-unreadable", message, { data: { path, errno: code }, cause });
}
