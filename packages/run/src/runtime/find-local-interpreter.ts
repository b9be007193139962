import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, delimiter, dirname, isAbsolute, join } from "node:path";
import type { Interpreter } from "./interpreter.ts";
import { interpreterHome, isSystemPath, localEntries } from "./interpreter-home.ts";
import { isNativeProgram } from "./is-native-program.ts";
import { pathTrail } from "./path-trail.ts";

const SYSTEM_FOLDERS = ["/usr/local/bin", "/usr/bin", "/bin"];
const NAME = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$/;
const MAX_PATH_FOLDERS = 256;
const STICKY = 0o1000;
const WRITABLE_FOR_ALL = 0o002;

// Programs that look at the name by which they were called: the link is what has to be started.
const MANY_IN_ONE = new Set(["busybox", "toybox", "coreutils"]);

/** Where interpreters are looked for besides the system's folders. */
export interface LocalSearch {
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
 * have put it there. So is whatever everybody on the machine could replace.
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
    // Whoever could replace this very program has this process already.
    if (!isNativeProgram(path) || !(isOwn || isUntouched(file, avoided))) continue;
    const userHomes = [search.userHome, ...realPaths(search.userHome)];
    const home = isSystemPath(path)
      ? {}
      : { home: interpreterHome(path, { userHomes, entriesOf: localEntries }) };
    return { name, path, ...home, ...versionOf(path, own) };
  }
  return undefined;
}

/** The program that runs this process, if it is a Node and not something that has one inside. */
export function findOwnNode(): Interpreter | undefined {
  const path = unlessMissing(() => realpathSync.native(process.execPath));
  const isNode = process.release.name === "node" && !("electron" in process.versions);
  if (path === undefined || !isNode || !isNamedLike("node", path) || !isNativeProgram(path)) return undefined;
  const userHomes = [homedir(), ...realPaths(homedir())];
  const home = isSystemPath(path)
    ? {}
    : { home: interpreterHome(path, { userHomes, entriesOf: localEntries }) };
  return { name: "node", path, ...home, version: process.versions.node };
}

function placesOf(name: string, search: LocalSearch): readonly string[] {
  const operator = search.path
    .split(delimiter)
    .slice(0, MAX_PATH_FOLDERS)
    // An entry that is empty or relative means the working directory, where anybody's files lie.
    .filter((folder) => isAbsolute(folder) && !folder.split("/").includes("node_modules"));
  return [
    ...SYSTEM_FOLDERS.map((folder) => join(folder, name)),
    ...(name === "node" ? [search.node] : []),
    ...operator.map((folder) => join(folder, name)),
  ];
}

function resolveProgram(name: string, file: string): string | undefined {
  const path = unlessMissing(() => realpathSync.native(file));
  if (path === undefined || !isExecutableFile(path)) return undefined;
  return (isSystemPath(file) && isSystemPath(path)) || isNamedLike(name, path) ? path : undefined;
}

function startedAs(file: string, path: string): string {
  return MANY_IN_ONE.has(basename(path)) ? file : path;
}

// `python3` may lead to `python3.12`; a `node` that leads to `volta-shim` or `mise` is a shim in native form.
function isNamedLike(name: string, path: string): boolean {
  return basename(path).startsWith(name.replace(/[0-9.]+$/, ""));
}

function isExecutableFile(path: string): boolean {
  return (
    unlessMissing(() => {
      accessSync(path, constants.X_OK);
      const stats = statSync(path);
      return stats.isFile() && (stats.mode & 0o111) !== 0;
    }) ?? false
  );
}

// Only the version of this very node is known without starting anything.
function versionOf(path: string, own: string | undefined): Pick<Interpreter, "version"> {
  const isThisProgram = own !== undefined && path === own && own === realpathSync.native(process.execPath);
  return isThisProgram ? { version: process.versions.node } : {};
}

// Many programs are started in a home, which is nobody's project; what a script is given is distrusted anyway.
function projectOf({ workingDirectory, userHome }: LocalSearch): readonly string[] {
  const homes = [userHome, ...realPaths(userHome)];
  const isHome = homes.some((home) => home === workingDirectory || home.startsWith(`${workingDirectory}/`));
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

/** Whether nothing on the way to a program lies in one of these folders or can be replaced by everybody. */
function isUntouched(file: string, avoided: readonly string[]): boolean {
  const trail = unlessMissing(() => pathTrail(file));
  if (trail === undefined) return false;
  const isAvoided = (place: string): boolean =>
    avoided.some((folder) => place === folder || place.startsWith(`${folder}/`));
  return trail.every((place) => !isAvoided(place) && !isOpenToAll(place));
}

function isOpenToAll(place: string): boolean {
  const open = unlessMissing(() => {
    const stats = statSync(place);
    const folder = statSync(dirname(place));
    const isLoose =
      (stats.mode & WRITABLE_FOR_ALL) !== 0 && !(stats.isDirectory() && (stats.mode & STICKY) !== 0);
    // In a folder such as /tmp everybody can put things, and nobody but their owner can replace them.
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
    if (
      ["ENOENT", "ENOTDIR", "EACCES", "ELOOP", "EINVAL", "ENAMETOOLONG"].includes(
        (error as NodeJS.ErrnoException).code ?? "",
      )
    )
      return undefined;
    throw error;
  }
}
