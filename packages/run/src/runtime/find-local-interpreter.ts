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

// Programs that act by the name they are called by, so the link itself must be started.
const MANY_IN_ONE = new Set(["busybox", "toybox", "coreutils"]);

interface LocalSearch {
  /** The operator's `PATH`. */
  readonly path: string;
  readonly userHome: string;
  /** The node that runs this process, which is known to exist. */
  readonly node: string;
  /** The working directory of this process, usually a project. */
  readonly workingDirectory: string;
}

/**
 * Finds an interpreter on this machine: in the system's folders, then this node, then in the operator's PATH.
 *
 * Outside the system's folders only native programs count. A version manager's shim chooses by the working
 * directory what to start, and needs its own files, so shims are skipped, as is node_modules.
 *
 * Programs in a `distrusted` folder, or reached through one, are skipped: an earlier script may have put them
 * there. So is any program that every user of the machine could replace.
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
    // An attacker who could replace this very program already controls this process.
    if (!isNativeProgram(path) || !(isOwn || isUntouched(file, avoided))) continue;
    return { name, path, ...homeOf(path, search.userHome), ...versionOf(path, own) };
  }
  return undefined;
}

/** The program that runs this process, if it is Node itself and not a program that embeds it. */
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

// `python3` may lead to `python3.12`; a `node` that leads to `volta-shim` or `mise` is a native shim.
function isNamedLike(name: string, path: string): boolean {
  return basename(path).startsWith(name.replace(/[0-9.]+$/, ""));
}

// Only this node's version is known without starting anything.
function versionOf(path: string, own: string | undefined): Pick<Interpreter, "version"> {
  const isThisProgram = own !== undefined && path === own && own === realpathSync.native(process.execPath);
  return isThisProgram ? { version: process.versions.node } : {};
}

// A home is a common working directory but not a project; folders given to a script are distrusted anyway.
function projectOf({ workingDirectory, userHome }: LocalSearch): readonly string[] {
  const homes = [userHome, ...realPaths(userHome)];
  const isHome = homes.some((home) => isInside(home, workingDirectory));
  return isHome ? [] : [workingDirectory];
}

// A service whose working directory is the root must not distrust every folder.
function avoidedFolders(folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) => [folder, ...realPaths(folder)]).filter((folder) => folder !== "/");
}

function realPaths(path: string): readonly string[] {
  const real = unlessMissing(() => realpathSync.native(path));
  return real === undefined ? [] : [real];
}

/** Whether nothing on the way to a program is in one of these folders or replaceable by every user. */
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
    // In a folder such as /tmp every user can create files, but only their owner can replace them.
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

// The kernel's own maximum.
const MAX_LINKS = 40;

/** Every place on the way to a path, links included, up to the real path. Throws file system errors. */
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
// Only nominally part of /usr: container images keep applications there, and scripts do not see them.
const APPLICATIONS = ["/usr/src", "/usr/local/src"];
// In these a program needs files of many neighbours.
const STORES = ["/nix/store", "/gnu/store", "/opt/homebrew", "/home/linuxbrew/.linuxbrew"];
// Folders shared by many programs and their data: keyrings are in ~/.local/share.
const SHARED_NAMES = new Set([".local", "Library"]);
// Conventional names in an installation, and none that users would give to their own files.
const INSTALLED = new Set(
  `bin sbin lib lib32 lib64 libexec include share man doc docs etc pyvenv.cfg ssl conda-meta condabin compiler_compat
   shell envs pkgs x86_64-conda-linux-gnu x86_64-conda_cos6-linux-gnu aarch64-conda-linux-gnu
   AUTHORS BUILD CHANGELOG.md LICENSE LICENSE.md LICENSE.txt README README.md`.split(/\s+/),
);
// A program in `bin` needs at least one of these.
const NEEDED = new Set(["lib", "lib64", "libexec", "share"]);
const MAX_ENTRIES = 64;
// A folder directly below the root is a disk or a project, never a single program.
const LEAST_DEPTH = 2;

/** Whether a path is in the folders that every script may read. */
export function isSystemPath(path: string): boolean {
  return isBelow(path, SYSTEM) && !isBelow(path, APPLICATIONS);
}

interface HomeFacts {
  readonly userHomes: readonly string[];
  readonly entriesOf: (folder: string) => readonly string[] | undefined;
}

/**
 * What of an interpreter outside the system's folders must be visible: the folder that it was installed into,
 * if that holds only an installation; otherwise its `bin`, and outside a `bin` the program alone.
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
