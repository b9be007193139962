import { randomBytes } from "node:crypto";
import { dirname, relative } from "node:path";
import { quoteShell } from "@skillet/kit/text";
import { bubblewrapArguments, type MountToMake } from "../bubblewrap/bubblewrap-arguments.ts";
import { ACCOUNT_FILES } from "../bubblewrap/choose-identity.ts";
import { sandboxEnvironment } from "../bubblewrap/sandbox-environment.ts";
import { homesSeenIn, OBEYED_PATHS, secretPaths } from "../folder-refusal.ts";
import { EMPTY_WORKSPACE_PLACE, type SandboxJob, SKILL_PLACE } from "../sandbox.ts";
import type { RemoteFacts } from "./remote-facts.ts";
import { REMOTE_COMMON, REMOTE_JOB } from "./remote-program.ts";
import type { RemoteTree } from "./remote-tree.ts";
import type { SshOptions } from "./ssh-options.ts";

/** The name under which a tree is staged on the remote machine. */
export function stageName(digest: string): string {
  return digest.replace(":", "-");
}

/** The values that the remote program expects. */
export function jobValues(job: RemoteJob): Readonly<Record<string, string>> {
  return {
    directory: job.directory,
    digest: stageName(job.tree.digest),
    tree_blocks: String(job.tree.blocks),
    manifest_bytes: String(job.tree.manifest.length),
    filter_bytes: String(job.filter.length),
    stdin_bytes: String(job.stdin.length),
    seconds: (job.timeoutMs / 1000).toFixed(3),
    isolation: job.bare === undefined ? "bubblewrap" : "none",
    drop_uid: job.drop === undefined ? "" : String(job.drop.uid),
    setpriv: job.drop?.setpriv ?? "",
    lent_path: job.workspace?.path ?? "",
    lent_source: job.workspace?.source ?? "",
    mark: `${MARK_NAME}=${randomBytes(16).toString("hex")}`,
  };
}

/** The remote program with the command of one job; every word of it is quoted. */
export function jobProgram({ sandboxOptions, guarded, launcher, argv, bare }: RemoteJob): string {
  const check = bare === undefined ? '/bin/sh -c "$check_mounts" sh "$checks" ' : "";
  return [
    REMOTE_COMMON,
    shellFunction("sandbox_options", call("option", sandboxOptions)),
    shellFunction("guard", [
      ...call("pin", guarded.pinned),
      ...call("protect", guarded.readOnly),
      ...call("hide_home", guarded.homes),
      ...call("hide", guarded.hidden),
    ]),
    shellFunction("open_files", bare === undefined ? accountFiles() : []),
    shellFunction("sandbox_command", [
      ...(bare === undefined ? [] : bareSetting(bare)),
      `launch ${words(launcher)} ${check}${words(argv)}`,
    ]),
    REMOTE_JOB,
  ].join("");
}

// In the environment of everything that a job without a sandbox starts, to find it by.
const MARK_NAME = "SKILLET_PROCESS_MARK";

function words(values: readonly string[]): string {
  return values.map(quoteShell).join(" ");
}

function shellFunction(name: string, lines: readonly string[]): string {
  return `${name}() {\n${[":", ...lines].join("\n")}\n}\n`;
}

function call(name: string, values: readonly string[]): string[] {
  return values.length === 0 ? [] : [`${name} ${words(values)}`];
}

// On descriptors, because the user that scripts run as need not be able to read the run's own folder.
function accountFiles(): string[] {
  return ACCOUNT_FILES.flatMap(([, text], index) => {
    const file = `"$run/account-${index}"`;
    return [`printf %s ${quoteShell(text)} >${file}`, `exec ${FIRST_FILE_DESCRIPTOR + index}<${file}`];
  });
}

// The shell's own variables are taken away, private folders come from the run's own one.
function bareSetting({ variables, cwd }: NonNullable<RemoteJob["bare"]>): string[] {
  return [
    'mkdir "$run/home" "$run/tmp" "$run/workspace" || exit 126',
    `cd ${cwd === undefined ? '"$run/workspace"' : quoteShell(cwd)} || exit 126`,
    "unset LC_ALL SSH_CONNECTION PATH PWD OLDPWD SHLVL",
    'export HOME="$run/home" TMPDIR="$run/tmp" "$mark"',
    ...Object.entries(variables).map(([name, value]) => `export ${name}=${quoteShell(value)}`),
  ];
}

/** One command on the remote machine, beside a tree that is staged there first. */
export interface RemoteJob {
  readonly options: SshOptions;
  /** Of the local ssh. */
  readonly environment: Readonly<Record<string, string>>;
  readonly tree: RemoteTree;
  /** The filter of system calls, for descriptor 3; empty where there is none. */
  readonly filter: Uint8Array;
  /** Given to bubblewrap on descriptor 5, because it holds secrets. */
  readonly sandboxOptions: readonly string[];
  readonly guarded: GuardedPaths;
  readonly workspace: LentWorkspace | undefined;
  /** The user that root becomes for the script, and the program that does it. */
  readonly drop: { readonly uid: number; readonly setpriv: string } | undefined;
  /** The remote folder of staged skills. */
  readonly directory: string;
  /** Where there is no sandbox to set them: the variables of the command, and the folder it starts in. */
  readonly bare?: { readonly variables: Readonly<Record<string, string>>; readonly cwd: string | undefined };
  /** What sets limits and sandbox up, and becomes the command that follows it. */
  readonly launcher: readonly string[];
  readonly argv: readonly string[];
  readonly stdin: Uint8Array;
  readonly timeoutMs: number;
  readonly outputBytes: number;
  readonly signal?: AbortSignal;
  readonly onOutput?: (stream: "stdout" | "stderr", bytes: Uint8Array) => void;
}

/** Names in the remote workspace that need care, each only where it is there and reached without a link. */
interface GuardedPaths {
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
const FIRST_FILE_DESCRIPTOR = 6;

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
