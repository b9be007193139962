import { SkilletError } from "@skillet/kit/errors";
import { SKILL_PLACE } from "./sandbox-places.ts";
import { homesSeenIn } from "./sensitive-paths.ts";

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
  // Of macOS, where /etc and /var are links into /private.
  ...[
    "/System",
    "/Library",
    "/Applications",
    "/cores",
    "/private/etc",
    "/private/var/db",
    "/private/var/root",
  ],
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
  ...[
    "/Users",
    "/Volumes",
    "/private",
    "/private/tmp",
    "/private/var",
    "/private/var/folders",
    "/private/var/tmp",
  ],
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

/** Why a folder cannot be let write besides: programs obey far more in a home than anybody can list. */
export function homeRefusal(folder: string, homes: readonly string[]): string | undefined {
  const home = homesSeenIn(folder, homes)[0];
  if (home === undefined) return undefined;
  return `${home === folder ? "it is" : `it holds ${home},`} a user's home; grant the folder of a project instead`;
}

/** The error for a folder that cannot be given; nothing has run by then. */
export function folderRefused(folder: string, reason: string): SkilletError {
  return new SkilletError("sandbox-folder-refused", `A script cannot be given ${folder}: ${reason}.`, {
    data: { folder },
  });
}
