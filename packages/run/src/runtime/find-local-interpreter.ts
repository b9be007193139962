import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, delimiter, dirname, isAbsolute, join } from "node:path";
import type { Interpreter } from "./interpreter.ts";
import { interpreterHome, isSystemPath } from "./interpreter-home.ts";
import { isNativeProgram } from "./is-native-program.ts";
import { nodeVersion } from "./node-version.ts";

const SYSTEM_FOLDERS = ["/usr/local/bin", "/usr/bin", "/bin"];
const NAME = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$/;
const MAX_PATH_FOLDERS = 256;

// Programs that look at the name by which they were called: the link is what has to be started.
const MANY_IN_ONE = new Set(["busybox", "toybox", "coreutils"]);

/** Where interpreters are looked for besides the system's folders. */
export interface LocalSearch {
  /** The operator's, as in `PATH`. */
  readonly path: string;
  readonly userHome: string;
  /** A program that is known to be there, for node. */
  readonly node: string;
}

/**
 * Finds an interpreter on this machine: in the system's folders, then this node, then in the operator's PATH.
 *
 * Outside the system's folders only a native program will do. A version manager's shim decides by the working directory
 * what it starts, and needs its own files for it; so shims are passed over, and so is what a project has in node_modules.
 */
export async function findLocalInterpreter(
  name: string,
  search: LocalSearch = {
    path: process.env.PATH ?? "",
    userHome: homedir(),
    node: process.execPath,
  },
): Promise<Interpreter | undefined> {
  if (!NAME.test(name)) return undefined;
  for (const file of placesOf(name, search)) {
    const path = resolveProgram(name, file);
    if (path === undefined) continue;
    const home = isSystemPath(path) ? undefined : interpreterHome(path, search.userHome);
    if (home === "unfit") continue;
    const version = name === "node" ? await nodeVersion(path) : undefined;
    return { name, path, ...(home && { home }), ...(version && { version }) };
  }
  return undefined;
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
    ...operator.filter((folder) => !isOpenToOthers(folder)).map((folder) => join(folder, name)),
  ];
}

function resolveProgram(name: string, file: string): string | undefined {
  const path = unlessMissing(() => realpathSync.native(file));
  if (path === undefined || !isExecutableFile(path)) return undefined;
  if (isSystemPath(file) && isSystemPath(path)) return MANY_IN_ONE.has(basename(path)) ? file : path;
  return isNamedLike(name, path) && !isOpenToOthers(path) && isNativeProgram(path) ? path : undefined;
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

function isOpenToOthers(path: string): boolean {
  return (
    unlessMissing(() => [path, dirname(path)].some((place) => (statSync(place).mode & 0o002) !== 0)) ?? true
  );
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
