import { readdirSync } from "node:fs";
import { basename, dirname } from "node:path";

const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib64"];
// Part of /usr by their place alone: images for containers keep applications there, and no script sees them.
const APPLICATIONS = ["/usr/src", "/usr/local/src"];
// Below these one program needs files of many neighbours.
const STORES = ["/nix/store", "/gnu/store", "/opt/homebrew", "/home/linuxbrew/.linuxbrew"];
// Folders of many programs and of their data: keyrings lie in ~/.local/share.
const SHARED_NAMES = new Set([".local", "Library"]);
// What programs are installed as, by convention, and nothing that a person would call their own.
const INSTALLED = new Set([
  ...["bin", "sbin", "lib", "lib32", "lib64", "libexec", "include", "share", "man", "doc", "docs", "etc"],
  ...["pyvenv.cfg", "ssl", "conda-meta", "condabin", "compiler_compat", "shell", "envs", "pkgs"],
  ...["x86_64-conda-linux-gnu", "x86_64-conda_cos6-linux-gnu", "aarch64-conda-linux-gnu"],
  ...["AUTHORS", "BUILD", "CHANGELOG.md", "LICENSE", "LICENSE.md", "LICENSE.txt", "README", "README.md"],
]);
// One of these is what a program in `bin` needs besides itself.
const NEEDED = new Set(["lib", "lib64", "libexec", "share"]);
const MAX_ENTRIES = 64;
// A folder directly below the root is a disk or a project, never one program.
const LEAST_DEPTH = 2;

/** Whether a path lies in the folders that every script may read. */
export function isSystemPath(path: string): boolean {
  return isBelow(path, SYSTEM) && !isBelow(path, APPLICATIONS);
}

/** What is known about the machine that an interpreter is on. */
export interface HomeFacts {
  /** Folders that belong to people, with links resolved. */
  readonly userHomes: readonly string[];
  /** The names in a folder; nothing where it cannot be read. */
  readonly entriesOf: (folder: string) => readonly string[] | undefined;
}

/**
 * What an interpreter outside the system's folders needs to be seen: the folder that it was installed into, where that
 * holds an installation and nothing else; otherwise its `bin`, and outside of a `bin` the program alone.
 */
export function interpreterHome(path: string, facts: HomeFacts): string {
  const store = STORES.find((folder) => path.startsWith(`${folder}/`));
  if (store !== undefined) return store;
  const folder = dirname(path);
  if (basename(folder) !== "bin") return path;
  const prefix = dirname(folder);
  if (isInstallation(prefix, facts)) return prefix;
  // A `bin` at the root is a link or nobody's convention.
  return prefix === "/" ? path : folder;
}

/** The names in a folder of this machine. */
export function localEntries(folder: string): readonly string[] | undefined {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? ""))
      return undefined;
    throw error;
  }
}

function isInstallation(prefix: string, { userHomes, entriesOf }: HomeFacts): boolean {
  const depth = prefix.split("/").length - 1;
  const isPersonal = userHomes.some((home) => home === prefix || home.startsWith(`${prefix}/`));
  if (depth < LEAST_DEPTH || isPersonal || SHARED_NAMES.has(basename(prefix))) return false;
  if (/^\/(?:home|Users)\/[^/]+$/.test(prefix)) return false;
  const entries = entriesOf(prefix) ?? [];
  return (
    entries.length <= MAX_ENTRIES &&
    entries.every((name) => INSTALLED.has(name)) &&
    entries.some((name) => NEEDED.has(name))
  );
}

function isBelow(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path.startsWith(`${folder}/`));
}
