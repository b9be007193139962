import { homedir, userInfo } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { SkilletError } from "@skillet/kit/errors";
import { canonicalPath, resolveLinks, statusOf, unlessUnknown } from "@skillet/kit/files";
import { type FolderTrust, readTrust, type TrustStore, trustOf } from "../trust/trust-store.ts";

/** The project that contains a workspace. */
export interface Project {
  readonly root: string;
  readonly trusted: boolean;
}

export interface LocatedWorkspace {
  /** Absent if the workspace is the user's home folder. */
  readonly project: Project | undefined;
  readonly trust: FolderTrust;
  readonly folders: readonly string[];
}

export function locateWorkspace(options: {
  readonly workspace: string;
  readonly userHome: string;
  readonly home: string;
}): LocatedWorkspace {
  const { workspace } = options;
  if (resolveLinks(workspace) === undefined) {
    const message = `There is no folder ${JSON.stringify(workspace)} that can be reached; pass a workspace that exists.`;
    throw new SkilletError("workspace-not-found", message, { data: { workspace } });
  }
  const { root, folders } = findProjectRoot(canonicalPath(workspace), canonicalPath(options.userHome));
  const trust = trustOf(readTrust(options.home), root);
  const project = folders.length === 0 ? undefined : { root, trusted: trust.trusted };
  return { project, trust, folders };
}

/** The untrusted repository that contains a folder, which need not be in the workspace. */
export function untrustedAround(
  folder: string,
  { userHome, home }: Homes,
  store: TrustStore = readTrust(home),
): string | undefined {
  const { root } = findProjectRoot(canonicalPath(folder), canonicalPath(userHome));
  const isRepository = statusOf(`${root}/.git`) !== undefined;
  return isRepository && !trustOf(store, root).trusted ? root : undefined;
}

// Deeper than any checkout; ends the climb on odd mounts.
const MAX_LEVELS = 64;

/** The repository that contains a folder, and every folder from there up to its root, nearest first. */
export interface ProjectFolders {
  readonly root: string;
  readonly folders: readonly string[];
}

/** Without a `.git`, the folder is its own project. The user's home never is, even with dotfiles in git. */
export function findProjectRoot(workspace: string, userHome: string): ProjectFolders {
  const start = folderOf(resolve(workspace));
  const folders: string[] = [];
  let current = start;
  for (let level = 0; level < MAX_LEVELS && current !== userHome; level++) {
    folders.push(current);
    if (statusOf(`${current}/.git`) !== undefined) return { root: current, folders };
    const parent = dirname(current);
    if (parent === current) break;
    current = parent;
  }
  return { root: start, folders: start === userHome ? [] : [start] };
}

function folderOf(path: string): string {
  const target = resolveLinks(path);
  return target !== undefined && statusOf(target)?.isFile() === true ? dirname(path) : path;
}

export interface Homes {
  readonly userHome: string;
  /** Skillet's own folder: `SKILLET_HOME`, else `~/.skillet`. */
  readonly home: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Finds the user's folders.
 *
 * The working directory must not become a home, or a repository's own config and trust store would take
 * effect: an empty variable counts as unset, and a relative path is refused.
 */
export function resolveHome(
  environment: Environment,
  options: { readonly userHome?: string | undefined; readonly home?: string | undefined } = {},
): Homes {
  const userHome = options.userHome === undefined ? findUserHome(environment) : resolve(options.userHome);
  const home =
    options.home === undefined
      ? (readFolder(environment, "SKILLET_HOME") ?? join(userHome, ".skillet"))
      : resolve(options.home);
  return { userHome, home };
}

function findUserHome(environment: Environment): string {
  const named = readFolder(environment, "HOME") ?? readFolder(environment, "USERPROFILE");
  if (named !== undefined) return named;
  // Node believes the process's HOME, whatever it is; the user database cannot be set from a shell.
  const known = [homedir, () => userInfo().homedir]
    .map(unlessUnknown)
    .find((folder) => folder && isAbsolute(folder));
  if (known !== undefined) return known;
  throw new SkilletError("home-unknown", "Your home folder is not known; set HOME to its absolute path.");
}

function readFolder(environment: Environment, name: string): string | undefined {
  const value = environment[name];
  if (value === undefined || value === "") return undefined;
  if (isAbsolute(value)) return resolve(value);
  const message = `${name} is ${JSON.stringify(value)}, which depends on the working directory; set it to an absolute path.`;
  throw new SkilletError("home-not-absolute", message, { data: { name, value } });
}
