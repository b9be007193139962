import { closeSync, constants, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isUnwritable } from "./is-unwritable.ts";

/** Both ends of a pipe, as open descriptors. */
export interface PipeEnds {
  readonly read: number;
  readonly write: number;
}

/** Makes named pipes that only this user may open. */
export type MakeNamedPipes = (paths: readonly string[]) => "made" | "unsupported";

/** Opens pipes at both ends, and leaves nothing of them in the file system; none where they cannot be made. */
export function openNamedPipes(count: number, make: MakeNamedPipes): PipeEnds[] {
  const folder = makeFolder();
  if (folder === undefined) return [];
  const opened: number[] = [];
  const open = (path: string, flags: number): number => {
    const descriptor = openSync(path, flags);
    opened.push(descriptor);
    return descriptor;
  };
  try {
    const paths = Array.from({ length: count }, (_, index) => join(folder, String(index)));
    if (make(paths) === "unsupported") return [];
    return paths.map((path) => ({
      // This end first and without waiting, or each would wait for the other.
      read: open(path, constants.O_RDONLY | constants.O_NONBLOCK),
      write: open(path, constants.O_WRONLY),
    }));
  } catch (error) {
    for (const descriptor of opened) closeSync(descriptor);
    throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Undefined where nothing can be written. */
function makeFolder(): string | undefined {
  try {
    return mkdtempSync(join(tmpdir(), "skillet-pipes-"));
  } catch (error) {
    if (isUnwritable(error)) return undefined;
    throw error;
  }
}
