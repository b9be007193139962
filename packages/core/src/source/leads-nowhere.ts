import { errorCode } from "../error-code.ts";

const NOWHERE: ReadonlySet<string> = new Set([
  // Not there, behind something that is no folder, in a circle, or longer than a file system takes.
  "ENOENT",
  "ENOTDIR",
  "ELOOP",
  "ENAMETOOLONG",
  "EINVAL",
  // Not for us to see.
  "EACCES",
  "EPERM",
  // On a device or a server that is gone.
  "EIO",
  "ENODEV",
  "ENXIO",
  "ENOTCONN",
  "ESTALE",
  "EHOSTDOWN",
  "EHOSTUNREACH",
  "ETIMEDOUT",
  // Node's own refusal of a NUL, before it asks the system.
  "ERR_INVALID_ARG_VALUE",
]);

/**
 * Whether a failed look at a path says that the path leads nowhere.
 *
 * Anybody can make such a path, in a repository too, so it is a fault of the path. What is left over, such as too many
 * open files, is a fault of the process and is thrown.
 */
export function leadsNowhere(error: unknown): boolean {
  return NOWHERE.has(errorCode(error) ?? "");
}
