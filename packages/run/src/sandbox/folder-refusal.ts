import { SKILL_PLACE } from "./sandbox-places.ts";

// Never part of a workspace: a bind there would replace what the sandbox itself puts in those places.
const SYSTEM_FOLDERS = [
  ...[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/proc",
    "/dev",
    "/sys",
    "/run",
  ],
  ...["/boot", "/lost+found", SKILL_PLACE],
];
// Images for containers keep applications there.
const APPLICATIONS = "/usr/src/";
// These hold what belongs to everybody on the machine; folders inside are fine.
const SHARED_FOLDERS = new Set([
  "/",
  "/home",
  "/tmp",
  "/var",
  "/var/tmp",
  "/var/lib",
  "/var/log",
  "/var/spool",
]);

/** Why a folder of the host cannot be given to a script; undefined when it can. */
export function folderRefusal(folder: string): string | undefined {
  if (!folder.startsWith("/") || folder.split("/").some((part) => part === "." || part === ".."))
    return "it is not an absolute, canonical path";
  if (SHARED_FOLDERS.has(folder))
    return "it holds what belongs to the whole machine; take a folder inside it";
  if (folder.startsWith(APPLICATIONS)) return undefined;
  const system = SYSTEM_FOLDERS.find((place) => folder === place || folder.startsWith(`${place}/`));
  return system === undefined ? undefined : `${system} is the system's; keep projects elsewhere`;
}
