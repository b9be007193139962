import { dirname, relative } from "node:path";
import { ACCOUNT_FILES } from "../bubblewrap/account-files.ts";
import { bubblewrapArguments, type MountToMake } from "../bubblewrap/bubblewrap-arguments.ts";
import { sandboxEnvironment } from "../bubblewrap/sandbox-environment.ts";
import type { SandboxJob } from "../sandbox.ts";
import { EMPTY_WORKSPACE_PLACE, SKILL_PLACE } from "../sandbox-places.ts";
import { homesSeenIn, OBEYED_PATHS, secretPaths } from "../sensitive-paths.ts";
import type { RemoteFacts } from "./remote-facts.ts";

/** Names in the remote workspace that need care, each only where it is there and reached without a link. */
export interface GuardedPaths {
  /** Folders that become mounts, so that nobody can rename them with what is protected inside. */
  readonly pinned: readonly string[];
  readonly readOnly: readonly string[];
  readonly hidden: readonly string[];
  /** Homes, each as the beginning of names in it: all that begins with a dot there is hidden. */
  readonly homes: readonly string[];
}

/** The remote folder that is lent to scripts, and whether they may write there. */
export interface LentWorkspace {
  readonly path: string;
  /** Where bubblewrap finds it, which for root is another place. */
  readonly source: string;
  readonly writable: boolean;
}

/** The first of the descriptors on which bubblewrap reads the account files; one digit is all that a shell knows. */
export const FIRST_FILE_DESCRIPTOR = 6;

// Bubblewrap asks this of what is to be hidden only, and that is left to the remote shell.
const FOLDER = { isDirectory: () => true };

/** Bubblewrap's options for a remote run: the local ones, with the system that the survey found there. */
export function remoteSandboxOptions(request: {
  readonly job: SandboxJob;
  readonly facts: RemoteFacts;
  /** The staged tree, where bubblewrap finds it. */
  readonly tree: string;
  readonly workspace: LentWorkspace | undefined;
  readonly hasFilter: boolean;
}): readonly string[] {
  const { job, facts, tree, workspace, hasFilter } = request;
  const home = job.interpreter.home;
  const mounts: MountToMake[] = [{ path: SKILL_PLACE, source: tree, access: "read-only", stats: FOLDER }];
  if (home !== undefined) mounts.push({ path: home, source: home, access: "read-only", stats: FOLDER });
  if (workspace !== undefined)
    mounts.push({
      path: workspace.path,
      source: workspace.source,
      access: workspace.writable ? "writable" : "read-only",
      stats: FOLDER,
    });
  return [
    ...["--json-status-fd", "4"],
    ...bubblewrapArguments({
      system: facts.systemMounts,
      kernelSecrets: facts.kernelSecrets,
      mounts,
      environment: sandboxEnvironment(job),
      cwd: sandboxCwd(job, workspace),
      temporaryBytes: job.limits.temporaryBytes,
      descriptors: {
        ...(hasFilter ? { filter: 3 } : {}),
        files: ACCOUNT_FILES.map((_, index) => FIRST_FILE_DESCRIPTOR + index),
      },
    }),
  ];
}

/** Where the script starts, as it sees it. */
export function sandboxCwd(job: SandboxJob, workspace: LentWorkspace | undefined): string {
  return job.cwd === "skill" ? SKILL_PLACE : (workspace?.path ?? EMPTY_WORKSPACE_PLACE);
}

/** What needs care in the remote workspace; folders that the caller protects are taken by their place in it. */
export function guardedPaths(
  job: SandboxJob,
  { facts, workspace }: { readonly facts: RemoteFacts; readonly workspace: LentWorkspace | undefined },
): GuardedPaths {
  if (workspace === undefined) return { pinned: [], readOnly: [], hidden: [], homes: [] };
  const hidden = secretPaths(workspace.path, [facts.home]).map((path) => relative(workspace.path, path));
  const homes = homesSeenIn(workspace.path, [facts.home]).map((home) =>
    home === workspace.path ? "" : `${relative(workspace.path, home)}/`,
  );
  if (!workspace.writable) return { pinned: [], readOnly: [], hidden, homes };
  const local = job.workspace;
  const protectedHere = local === undefined ? [] : job.protect.map((path) => relative(local, path));
  const readOnly = [
    ...OBEYED_PATHS.filter((path) => !hidden.includes(path)),
    ...protectedHere.filter((path) => path !== "" && !path.startsWith("..")),
  ];
  return { pinned: [...new Set([...readOnly, ...hidden].flatMap(foldersAbove))], readOnly, hidden, homes };
}

function foldersAbove(name: string): string[] {
  const parent = dirname(name);
  return parent === "." ? [] : [...foldersAbove(parent), parent];
}
