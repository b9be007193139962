import { basename, dirname, join } from "node:path";

const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib64"];
// Below these one program needs files of many neighbours.
const STORES = ["/nix/store", "/gnu/store", "/opt/homebrew", "/home/linuxbrew/.linuxbrew"];
// Folders of many things: binding one for the sake of a program would show the rest as well.
const SHARED = [
  "/",
  "/home",
  "/root",
  "/Users",
  "/opt",
  "/srv",
  "/mnt",
  "/media",
  "/var",
  "/tmp",
  "/private",
];

/** Whether a path lies in the folders that every script may read. */
export function isSystemPath(path: string): boolean {
  return SYSTEM.some((folder) => path.startsWith(`${folder}/`));
}

/**
 * The folder that an interpreter outside the system's folders needs: the one that it was installed into, with `bin` in it.
 *
 * `unfit` when that would be a folder of many things, such as somebody's home.
 */
export function interpreterHome(path: string, userHome: string): string | "unfit" {
  const store = STORES.find((folder) => path.startsWith(`${folder}/`));
  if (store !== undefined) return store;
  const folder = dirname(path);
  const places = basename(folder) === "bin" ? [dirname(folder), folder] : [folder];
  const shared = new Set([...SHARED, userHome, join(userHome, ".local"), join(userHome, "Library")]);
  return places.find((place) => !shared.has(place) && !isHome(place)) ?? "unfit";
}

// The homes of other users, and what lies directly in them: `/home/ada`, `/Users/ada/.local`.
function isHome(folder: string): boolean {
  return /^\/(?:home|Users)\/[^/]+(?:\/\.local)?$/.test(folder);
}
