import { lstat } from "node:fs/promises";
import { release } from "node:os";
import { SkilletError } from "@skillet/kit/errors";
import { runProcess } from "@skillet/kit/process";
import { canStart, findProgram } from "../find-program.ts";
import { installCommand } from "../install-command.ts";
import { createLimitGroup, type LimitGroup } from "../limits/limit-group.ts";
import { readSystemFile } from "../limits/read-system-file.ts";
import { quoteShell } from "../quote-shell.ts";
import { seccompProgram } from "../seccomp/seccomp-program.ts";
import { dropRights } from "./drop-rights.ts";
import { sealDevices } from "./seal-devices.ts";
import { kernelSecrets, type SystemMount, systemMounts } from "./system-mounts.ts";
import { takeUnusedUser } from "./unused-user.ts";

/** What this machine has for a sandbox; looked at once. */
export interface SandboxHost {
  readonly bwrap: string;
  readonly prlimit: string;
  readonly isRoot: boolean;
  readonly system: readonly SystemMount[];
  readonly kernelSecrets: readonly string[];
  readonly filter: Uint8Array | undefined;
  /** With what root can become somebody else behind another bubblewrap; absent where it cannot. */
  readonly drop?: { readonly setpriv: string; readonly place: string };
  /** Comes before what root starts without becoming somebody else; absent where the devices cannot be kept from it. */
  readonly sealing?: readonly string[];
  /** Whether root can start a program as somebody else at all; in some containers there is nobody else. */
  readonly canBecomeOthers: boolean;
  /** Whether a process can be put into a control group of its own. */
  readonly hasGroups: boolean;
  /** Whether the kernel counts processes for each user namespace: Linux 5.14. */
  readonly countsProcessesByRun: boolean;
}

const TRIAL_DEADLINE_MS = 10_000;
const TRIAL_LIMITS = { memoryBytes: 64 * 1024 * 1024, processes: 16 };
const COUNTS_BY_NAMESPACE: readonly [number, number] = [5, 14];

/** Looks at the machine; throws `sandbox-unavailable` with the one command that helps where a program is missing. */
export async function inspectHost(program: string | undefined): Promise<SandboxHost> {
  const isRoot = process.getuid?.() === 0;
  const bwrap = program === undefined ? await findProgram("bwrap") : (await canStart(program)) && program;
  if (!bwrap) throw await missingProgram("bubblewrap", isRoot);
  const prlimit = await findProgram("prlimit");
  if (prlimit === undefined) throw await missingProgram("util-linux", isRoot);
  const drop = isRoot ? await findWayDown(bwrap) : undefined;
  const sealing = isRoot ? await findSealing() : undefined;
  return {
    bwrap,
    prlimit,
    isRoot,
    system: await systemMounts(),
    kernelSecrets: await kernelSecrets(),
    filter: seccompProgram(process.arch),
    ...(drop && { drop }),
    ...(sealing && { sealing }),
    canBecomeOthers: drop !== undefined || (isRoot && (await canBecomeOthers())),
    hasGroups: await canEnterGroups(),
    countsProcessesByRun: isAtLeast(release(), COUNTS_BY_NAMESPACE),
  };
}

/** A shell that enters the groups and becomes what follows. */
export function enterGroups(group: LimitGroup): string[] {
  const steps = group.entrances.map((file) => `echo 0 > ${quoteShell(file)}`);
  return ["/bin/sh", "-c", `${steps.join(" && ")} && exec "$@"`, "sh"];
}

async function missingProgram(name: string, isRoot: boolean): Promise<SkilletError> {
  const osRelease = (await readSystemFile("/etc/os-release")) ?? "";
  const fix = installCommand(name, { osRelease, isRoot });
  return new SkilletError(
    "sandbox-unavailable",
    `${name} is not installed, so scripts cannot be contained: ${fix}`,
    {
      data: { reason: `${name} is not installed`, fix },
    },
  );
}

async function findWayDown(bwrap: string): Promise<SandboxHost["drop"]> {
  const setpriv = await findProgram("setpriv");
  const place = await findPlace(bwrap);
  if (setpriv === undefined || place === undefined) return undefined;
  const user = takeUnusedUser();
  const { prefix } = dropRights({ bwrap, setpriv, identity: user, mounts: [], place });
  try {
    return (await succeeds([...prefix, "/bin/sh", "-c", ":"])) ? { setpriv, place } : undefined;
  } finally {
    user.giveBack();
  }
}

async function findSealing(): Promise<readonly string[] | undefined> {
  const [unshare, mount] = [await findProgram("unshare"), await findProgram("mount")];
  if (unshare === undefined || mount === undefined) return undefined;
  for (const way of ["root", "own-root"] as const) {
    const prefix = sealDevices({ unshare, mount }, way);
    if (await succeeds([...prefix, "/bin/sh", "-c", ":"])) return prefix;
  }
  return undefined;
}

async function canBecomeOthers(): Promise<boolean> {
  const { giveBack, ...user } = takeUnusedUser();
  try {
    return await succeeds(["/bin/sh", "-c", ":"], user);
  } catch (error) {
    if (SkilletError.isInstance(error) && error.code.startsWith("process-")) return false;
    throw error;
  } finally {
    giveBack();
  }
}

async function findPlace(bwrap: string): Promise<string | undefined> {
  for (const place of ["/mnt", "/media", "/tmp"]) {
    if (bwrap.startsWith(`${place}/`)) continue;
    try {
      if ((await lstat(place)).isDirectory()) return place;
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    }
  }
  return undefined;
}

async function canEnterGroups(): Promise<boolean> {
  const group = await createLimitGroup(TRIAL_LIMITS);
  if (group === undefined) return false;
  try {
    return await succeeds([...enterGroups(group), "/bin/sh", "-c", ":"]);
  } finally {
    await group.remove();
  }
}

async function succeeds(
  argv: readonly string[],
  user?: { readonly uid: number; readonly gid: number },
): Promise<boolean> {
  const [program = "", ...args] = argv;
  const { exitCode } = await runProcess({
    argv: [program, ...args],
    environment: {},
    cwd: "/",
    deadlineMs: TRIAL_DEADLINE_MS,
    ...(user && { user }),
  });
  return exitCode === 0;
}

function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [ours = 0, minors = 0] = version.split(".").map((part) => Number.parseInt(part, 10));
  return ours > major || (ours === major && minors >= minor);
}
