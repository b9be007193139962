import { lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { undefinedOn } from "@skillet/kit/errors";
import { isInside } from "@skillet/kit/files";
import { nativeFormat, readProgramHead } from "@skillet/kit/process";
import { isProgram, pathFolders } from "@skillet/kit/program";
import type { Interpreter } from "./choose-runtime.ts";

const SYSTEM_FOLDERS = ["/usr/local/bin", "/usr/bin", "/bin"];
const NAME = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$/;
const MAX_PATH_FOLDERS = 256;
const STICKY = 0o1000;
const WRITABLE_FOR_ALL = 0o002;

// Programs that look at the name by which they were called: the link is what has to be started.
const MANY_IN_ONE = new Set(["busybox", "toybox", "coreutils"]);

interface LocalSearch {
  /** The operator's, as in `PATH`. */
  readonly path: string;
  readonly userHome: string;
  /** A program that is known to be there, for node: the one that runs this. */
  readonly node: string;
  /** The folder that this process works in, which is mostly a project's. */
  readonly workingDirectory: string;
}

/**
 * Finds an interpreter on this machine: in the system's folders, then this node, then in the operator's PATH.
 *
 * Outside the system's folders only a native program will do. A version manager's shim decides by the working directory
 * what it starts, and needs its own files for it; so shims are passed over, and so is what a project has in node_modules.
 *
 * What lies in one of the `distrusted` folders, or is reached through one, is passed over too: an earlier script may
 * have put it there. So is any program that every user of the machine could replace.
 */
export function findLocalInterpreter(
  name: string,
  distrusted: readonly string[] = [],
  search: LocalSearch = {
    path: process.env.PATH ?? "",
    userHome: homedir(),
    node: process.execPath,
    workingDirectory: process.cwd(),
  },
): Interpreter | undefined {
  if (!NAME.test(name)) return undefined;
  const own = unlessMissing(() => realpathSync.native(search.node));
  const avoided = avoidedFolders([...distrusted, ...projectOf(search)]);
  for (const file of placesOf(name, search)) {
    const path = resolveProgram(name, file);
    if (path === undefined) continue;
    const isOwn = file === search.node;
    if (isSystemPath(file) && isSystemPath(path))
      return { name, path: startedAs(file, path), ...versionOf(path, own) };
    // An attacker who could replace this very program has this process already.
    if (!isNativeProgram(path) || !(isOwn || isUntouched(file, avoided))) continue;
    return { name, path, ...homeOf(path, search.userHome), ...versionOf(path, own) };
  }
  return undefined;
}

/** The program that runs this process, if it is a Node and not something that has one inside. */
export function findOwnNode(): Interpreter | undefined {
  const path = unlessMissing(() => realpathSync.native(process.execPath));
  const isNode = process.release.name === "node" && !("electron" in process.versions);
  if (path === undefined || !isNode || !isNamedLike("node", path) || !isNativeProgram(path)) return undefined;
  return { name: "node", path, ...homeOf(path, homedir()), version: process.versions.node };
}

function homeOf(path: string, userHome: string): Pick<Interpreter, "home"> {
  if (isSystemPath(path)) return {};
  const userHomes = [userHome, ...realPaths(userHome)];
  const entriesOf = (folder: string): string[] | undefined => unlessMissing(() => readdirSync(folder));
  return { home: interpreterHome(path, { userHomes, entriesOf }) };
}

function placesOf(name: string, search: LocalSearch): readonly string[] {
  const operator = pathFolders(search.path)
    .slice(0, MAX_PATH_FOLDERS)
    .filter((folder) => !folder.split("/").includes("node_modules"));
  return [
    ...SYSTEM_FOLDERS.map((folder) => join(folder, name)),
    ...(name === "node" ? [search.node] : []),
    ...operator.map((folder) => join(folder, name)),
  ];
}

function resolveProgram(name: string, file: string): string | undefined {
  const path = unlessMissing(() => realpathSync.native(file));
  if (path === undefined || !isProgram(path)) return undefined;
  return (isSystemPath(file) && isSystemPath(path)) || isNamedLike(name, path) ? path : undefined;
}

function startedAs(file: string, path: string): string {
  return MANY_IN_ONE.has(basename(path)) ? file : path;
}

// `python3` may lead to `python3.12`; a `node` that leads to `volta-shim` or `mise` is a shim in native form.
function isNamedLike(name: string, path: string): boolean {
  return basename(path).startsWith(name.replace(/[0-9.]+$/, ""));
}

// Only the version of this very node is known without starting anything.
function versionOf(path: string, own: string | undefined): Pick<Interpreter, "version"> {
  const isThisProgram = own !== undefined && path === own && own === realpathSync.native(process.execPath);
  return isThisProgram ? { version: process.versions.node } : {};
}

// Many programs are started in a home, which is not a project; what a script is given is distrusted anyway.
function projectOf({ workingDirectory, userHome }: LocalSearch): readonly string[] {
  const homes = [userHome, ...realPaths(userHome)];
  const isHome = homes.some((home) => isInside(home, workingDirectory));
  return isHome ? [] : [workingDirectory];
}

// A service that works in the root distrusts nothing by that.
function avoidedFolders(folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) => [folder, ...realPaths(folder)]).filter((folder) => folder !== "/");
}

function realPaths(path: string): readonly string[] {
  const real = unlessMissing(() => realpathSync.native(path));
  return real === undefined ? [] : [real];
}

/** Whether nothing on the way to a program lies in one of these folders or can be replaced by every user. */
function isUntouched(file: string, avoided: readonly string[]): boolean {
  const trail = unlessMissing(() => pathTrail(file));
  if (trail === undefined) return false;
  return trail.every((place) => !avoided.some((folder) => isInside(place, folder)) && !isOpenToAll(place));
}

function isOpenToAll(place: string): boolean {
  const open = unlessMissing(() => {
    const stats = statSync(place);
    const folder = statSync(dirname(place));
    const isLoose =
      (stats.mode & WRITABLE_FOR_ALL) !== 0 && !(stats.isDirectory() && (stats.mode & STICKY) !== 0);
    // In a folder such as /tmp every user can create files, and only their owner can replace them.
    const isForeign =
      (folder.mode & WRITABLE_FOR_ALL) !== 0 && stats.uid !== 0 && stats.uid !== process.getuid?.();
    return isLoose || isForeign;
  });
  return open ?? true;
}

function unlessMissing<Result>(look: () => Result): Result | undefined {
  try {
    return look();
  } catch (error) {
    return undefinedOn("ENOENT", "ENOTDIR", "EACCES", "ELOOP", "EINVAL", "ENAMETOOLONG")(error);
  }
}

function isNativeProgram(path: string): boolean {
  const head = readProgramHead(path);
  return head !== undefined && nativeFormat(head) !== undefined;
}

// As many as the kernel follows.
const MAX_LINKS = 40;

/** Links and what they lead to; the last is the path without links. Throws what the file system throws. */
export function pathTrail(path: string): readonly string[] {
  const trail: string[] = [];
  const rest = resolve(path).split("/").filter(Boolean);
  let place = "/";
  for (let links = 0, part = rest.shift(); part !== undefined; part = rest.shift()) {
    place = part === ".." ? dirname(place) : join(place, part);
    trail.push(place);
    if (!lstatSync(place).isSymbolicLink()) continue;
    links += 1;
    if (links > MAX_LINKS) throw Object.assign(new Error(`Too many links: ${path}`), { code: "ELOOP" });
    const target = readlinkSync(place);
    place = target.startsWith("/") ? "/" : dirname(place);
    rest.unshift(...target.split("/").filter((name) => name !== "" && name !== "."));
  }
  return trail;
}

const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib64"];
// Part of /usr by their place alone: images for containers keep applications there, and no script sees them.
const APPLICATIONS = ["/usr/src", "/usr/local/src"];
// Below these one program needs files of many neighbours.
const STORES = ["/nix/store", "/gnu/store", "/opt/homebrew", "/home/linuxbrew/.linuxbrew"];
// Folders of many programs and of their data: keyrings lie in ~/.local/share.
const SHARED_NAMES = new Set([".local", "Library"]);
// Conventional names in an installation, and none that a person would use for their own files.
const INSTALLED = new Set(
  `bin sbin lib lib32 lib64 libexec include share man doc docs etc pyvenv.cfg ssl conda-meta condabin compiler_compat
   shell envs pkgs x86_64-conda-linux-gnu x86_64-conda_cos6-linux-gnu aarch64-conda-linux-gnu
   AUTHORS BUILD CHANGELOG.md LICENSE LICENSE.md LICENSE.txt README README.md`.split(/\s+/),
);
// One of these is what a program in `bin` needs besides itself.
const NEEDED = new Set(["lib", "lib64", "libexec", "share"]);
const MAX_ENTRIES = 64;
// A folder directly below the root is a disk or a project, never one program.
const LEAST_DEPTH = 2;

/** Whether a path lies in the folders that every script may read. */
export function isSystemPath(path: string): boolean {
  return isBelow(path, SYSTEM) && !isBelow(path, APPLICATIONS);
}

interface HomeFacts {
  readonly userHomes: readonly string[];
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
  // A `bin` at the root is a link, or follows no convention.
  return prefix === "/" ? path : folder;
}

function isInstallation(prefix: string, { userHomes, entriesOf }: HomeFacts): boolean {
  const depth = prefix.split("/").length - 1;
  const isPersonal = userHomes.some((home) => isInside(home, prefix));
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
