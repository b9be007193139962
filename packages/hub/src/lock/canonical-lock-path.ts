import { basename, dirname, join } from "node:path";
import { canonicalPath } from "@skillet/kit/files";

/** The one path of a lock, by whatever links its folder was reached; the lock itself is never a link. */
export function canonicalLockPath(lockFile: string): string {
  return join(canonicalPath(dirname(lockFile)), basename(lockFile));
}
