import { closeSync, constants, fchownSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isUnwritable } from "./is-unwritable.ts";

/**
 * Opens a file with these bytes that has no name any more; undefined where nothing can be written.
 *
 * A pipe cannot be opened again through `/dev/stdin` once its writer is done: whoever tries waits for ever.
 */
export function openInputFile(
  bytes: Uint8Array,
  owner: { readonly uid: number; readonly gid: number } | undefined,
): number | undefined {
  const folder = makeFolder();
  if (folder === undefined) return undefined;
  const opened: number[] = [];
  const open = (flags: number): number => {
    const descriptor = openSync(join(folder, "input"), flags, 0o600);
    opened.push(descriptor);
    return descriptor;
  };
  try {
    const writer = open(constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL);
    const reader = open(constants.O_RDONLY);
    // Its name goes before its content comes: what is passed here may be secret.
    rmSync(folder, { recursive: true });
    if (owner !== undefined) fchownSync(reader, owner.uid, owner.gid);
    for (let done = 0; done < bytes.length; ) done += writeSync(writer, bytes, done);
    closeSync(writer);
    return reader;
  } catch (error) {
    for (const descriptor of opened) closeSync(descriptor);
    rmSync(folder, { recursive: true, force: true });
    if (isUnwritable(error)) return undefined;
    throw error;
  }
}

function makeFolder(): string | undefined {
  try {
    return mkdtempSync(join(tmpdir(), "skillet-input-"));
  } catch (error) {
    if (isUnwritable(error)) return undefined;
    throw error;
  }
}
