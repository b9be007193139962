import { randomBytes } from "node:crypto";
import { dirname, relative, resolve } from "node:path";
import { OBEYED_PATHS } from "@skillet/kit/files";
import { quoteShell } from "@skillet/kit/text";
import {
  ACCOUNT_FILES,
  bubblewrapArguments,
  type MountToMake,
  refuseZeroBytes,
  sandboxEnvironment,
} from "../bubblewrap/bubblewrap-arguments.ts";
import { dropPrefix, randomUnusedUser, type WayDown } from "../bubblewrap/choose-identity.ts";
import { quoted } from "../bubblewrap/guarded-command.ts";
import { sealDevices } from "../bubblewrap/sandbox-host.ts";
import { checkGiven, folderRefused, homesSeenIn, secretPaths } from "../folder-refusal.ts";
import { prlimitArguments } from "../limit-group.ts";
import { EMPTY_WORKSPACE_PLACE, type SandboxJob, SKILL_PLACE } from "../sandbox.ts";
import { seccompProgram } from "../seccomp-program.ts";
import { unavailable } from "./connection-failure.ts";
import { type RemoteFacts, remoteArchitecture } from "./remote-facts.ts";
import { REMOTE_COMMON, REMOTE_JOB } from "./remote-program.ts";
import type { RemoteTree } from "./remote-tree.ts";
import type { SshOptions } from "./ssh-options.ts";

export interface RemoteJob {
  readonly program: string;
  readonly values: Readonly<Record<string, string>>;
  /** Sent before the tree, in this order: the filter of system calls, standard input. */
  readonly inputs: readonly Uint8Array[];
  readonly argv: readonly string[];
  readonly cwd: string;
}

function call(name: string, words: readonly string[]): string[] {
  return words.length === 0 ? [] : [`${name} ${quoted(words)}`];
}

/** The first descriptor for bubblewrap's account files; portable shells accept only one digit. */
const FIRST_FILE_DESCRIPTOR = 6;

// Read only for hidden paths, which are left to the remote shell.
const FOLDER = { isDirectory: () => true };

/** Plans one run from the results of the survey; every word of the program is quoted. */
export function planRemoteJob(
  job: SandboxJob,
  { options, facts }: { readonly options: SshOptions; readonly facts: RemoteFacts },
  { blocks }: RemoteTree,
): RemoteJob {
  refuseZeroBytes([...job.args, ...job.flags, job.script, ...Object.values(job.environment)]);
  const run = `${facts.directory}/run.${randomBytes(12).toString("hex")}`;
  const filter = seccompProgram(remoteArchitecture(facts));
  const stdin = job.stdin ?? new Uint8Array(0);
  const tool = (name: string): string => facts.tools.get(name) ?? name;
  const lent = lentWorkspace(options, facts);
  const way: WayDown | undefined = canDrop(facts)
    ? { bwrap: tool("bwrap"), setpriv: tool("setpriv"), place: facts.place }
    : undefined;
  const user = randomUnusedUser();
  // If root becomes another user, that user finds everything below `place`.
  const at = (name: string, path: string): string => (way === undefined ? path : `${way.place}/${name}`);
  const staged = `${run}/tree`;
  const readOnly = { access: "read-only", stats: FOLDER } as const;
  const skill = { path: SKILL_PLACE, source: at("skill", staged), ...readOnly };
  const workspace = lent && { ...lent, source: at("workspace", lent.path) };
  const { home } = job.interpreter;
  if (job.folder !== undefined && lent === undefined)
    throw folderRefused(job.folder, "that machine has no workspace for scripts");
  // Entered inside the sandbox, where a link cannot lead further than what the script may see.
  const start = job.folder === undefined ? lent?.path : `${lent?.path}/${job.folder}`;
  const cwd = job.cwd === "skill" ? SKILL_PLACE : (start ?? EMPTY_WORKSPACE_PLACE);
  const argv = [job.interpreter.path, ...job.flags, `${SKILL_PLACE}/${job.script}`, ...job.args];
  const launcher = [
    ...(way === undefined
      ? sealingFor(options, facts)
      : dropPrefix(way, user, [
          { source: staged, path: skill.source, access: skill.access },
          ...(workspace ? [{ ...workspace, source: workspace.path, path: workspace.source }] : []),
        ])),
    ...[tool("bwrap"), "--args", "5", "--"],
    // Limits inside the user namespace: there the kernel counts only this run's processes.
    ...[tool("prlimit"), ...prlimitArguments(job.limits)],
  ];
  // Passed to bubblewrap on descriptor 5, because they contain secrets.
  const sandboxOptions = bubblewrapArguments({
    system: facts.systemMounts,
    kernelSecrets: facts.kernelSecrets,
    mounts: [
      skill,
      ...(home === undefined ? [] : [{ path: home, source: home, ...readOnly }]),
      ...(workspace ? [workspace] : []),
    ],
    environment: sandboxEnvironment(job),
    cwd,
    temporaryBytes: job.limits.temporaryBytes,
    descriptors: {
      ...(filter && { filter: 3 }),
      files: ACCOUNT_FILES.map((_, index) => FIRST_FILE_DESCRIPTOR + index),
    },
  });
  // On descriptors, because the script's user may not be able to read the run's own folder.
  const openFiles = ACCOUNT_FILES.flatMap(([, text], index) => {
    const file = `"$run/account-${index}"`;
    return [`printf %s ${quoteShell(text)} >${file}`, `exec ${FIRST_FILE_DESCRIPTOR + index}<${file}`];
  });
  return {
    program: [
      REMOTE_COMMON,
      shellFunction("sandbox_options", call("option", ["--json-status-fd", "4", ...sandboxOptions])),
      shellFunction("guard", lent === undefined ? [] : guardLines(job, facts, lent)),
      shellFunction("open_files", openFiles),
      shellFunction("sandbox_command", [
        `launch ${quoted(launcher)} /bin/sh -c "$check_mounts" sh "$checks" ${quoted(argv)}`,
      ]),
      REMOTE_JOB,
    ].join(""),
    values: {
      directory: facts.directory,
      run,
      tree_blocks: String(blocks),
      filter_bytes: String(filter?.length ?? 0),
      stdin_bytes: String(stdin.length),
      seconds: (job.limits.timeoutMs / 1000).toFixed(3),
      drop_uid: way === undefined ? "" : String(user.uid),
      setpriv: way?.setpriv ?? "",
      lent_path: lent?.path ?? "",
      lent_source: workspace?.source ?? "",
    },
    inputs: [filter ?? new Uint8Array(0), stdin],
    argv,
    cwd,
  };
}

function shellFunction(name: string, lines: readonly string[]): string {
  return `${name}() {\n${[":", ...lines].join("\n")}\n}\n`;
}

/** Whether root becomes another user for scripts: every user must be able to use the lent workspace. */
export function canDrop({ uid, tools, place, workspace, open }: RemoteFacts): boolean {
  return uid === "0" && tools.has("setpriv") && place !== "" && (workspace === "" || open === "yes");
}

function sealingFor({ destination }: SshOptions, { uid, tools }: RemoteFacts): string[] {
  if (uid !== "0") return [];
  const [unshare, mount] = [tools.get("unshare"), tools.get("mount")];
  if (unshare !== undefined && mount !== undefined) return sealDevices({ unshare, mount }, "root");
  throw unavailable(destination, {
    reason:
      "only root can use the remote workspace, and the devices of that machine could not be kept from the script without unshare and mount; log in as another user",
  });
}

/** Hides or protects remote workspace paths; the caller's protected folders map by relative path. */
function guardLines(job: SandboxJob, facts: RemoteFacts, { path: root, access }: MountToMake): string[] {
  const hidden = secretPaths(root, [facts.home]).map((path) => relative(root, path));
  // Prefixes of names: everything in these folders that begins with a dot is hidden.
  const homes = homesSeenIn(root, [facts.home]).map((home) =>
    home === root ? "" : `${relative(root, home)}/`,
  );
  const hiding = [...call("hide_home", homes), ...call("hide", hidden)];
  if (access !== "writable") return hiding;
  const { workspace } = job;
  const protectedHere = job.protect
    .map((path) => (workspace === undefined ? "" : relative(workspace, resolve(path))))
    .filter((path) => path !== "" && path !== ".." && !path.startsWith("../"));
  const readOnly = [...OBEYED_PATHS.filter((path) => !hidden.includes(path)), ...protectedHere];
  // These folders become mounts, so that they cannot be renamed together with the protected paths inside.
  const pinned = new Set([...readOnly, ...hidden].flatMap(foldersAbove));
  return [...call("pin", [...pinned]), ...call("protect", readOnly), ...hiding];
}

function foldersAbove(name: string): string[] {
  const parent = dirname(name);
  return parent === "." ? [] : [...foldersAbove(parent), parent];
}

function lentWorkspace(options: SshOptions, { workspace, home }: RemoteFacts): MountToMake | undefined {
  if (workspace === "") return undefined;
  const isWritable = options.writableWorkspace === true;
  checkGiven(workspace, { isWritable, homes: [home], where: "on that machine, " });
  const access = isWritable ? "writable" : "read-only";
  return { path: workspace, source: workspace, access, stats: FOLDER };
}
