import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { SandboxReport } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import type { LimitGroup } from "../limit-group.ts";
import type { Mount } from "./bubblewrap-arguments.ts";
import { chooseIdentity, dropRights, mayEnter, reachableMounts, type User } from "./choose-identity.ts";
import { enterGroups, type SandboxHost } from "./sandbox-host.ts";

export interface Launch {
  /** The owner of the script's processes on the host. */
  readonly identity: User | "caller";
  readonly prefix: readonly string[];
  /** With sources at the paths where bubblewrap finds them. */
  readonly mounts: readonly Mount[];
  /** Set if the process must run as another user from the start. */
  readonly user?: User;
  readonly group?: LimitGroup;
}

// Inside, folder modes apply to root as to any other user.
const ROOT_WITHOUT_RIGHTS = { uid: 0, gid: 0 };

/** Root becomes an unprivileged user if that user can use everything given; other users stay who they are. */
export async function planLaunch(options: {
  readonly host: SandboxHost;
  readonly mounts: readonly Mount[];
  readonly unused: User;
  readonly group: LimitGroup | undefined;
}): Promise<Launch> {
  const { host, group } = options;
  const { uid, gid } = options.unused;
  const identity = host.isRoot ? chooseIdentity(options.mounts, { uid, gid }) : "caller";
  const entrance = group === undefined ? [] : enterGroups(group);
  const inGroup = group === undefined ? {} : { group };
  const asCaller = async (): Promise<Launch> => ({
    identity: "caller",
    prefix: host.isRoot ? [...entrance, ...sealingOf(host)] : entrance,
    mounts: host.isRoot ? await reachableMounts(options.mounts, ROOT_WITHOUT_RIGHTS) : options.mounts,
    ...inGroup,
  });
  if (identity === "caller") return asCaller();
  const mounts = await reachableMounts(options.mounts, identity);
  if (host.drop !== undefined) {
    const dropped = dropRights({ ...host.drop, identity, mounts });
    return { identity, prefix: [...entrance, ...dropped.prefix], mounts: dropped.mounts, ...inGroup };
  }
  // A process of another user can no longer enter a group of root's.
  const isReachable = host.canBecomeOthers && (await canReachAll(mounts, identity));
  return isReachable ? { identity, prefix: [], mounts, user: identity } : asCaller();
}

function sealingOf({ sealing }: SandboxHost): readonly string[] {
  if (sealing !== undefined) return sealing;
  const message =
    "Only root can use the granted folders, and protecting the machine's devices needs unshare and mount (util-linux). Install them, or give the folders to another user.";
  throw new SkilletError("sandbox-unavailable", message);
}

async function canReachAll(mounts: readonly Mount[], identity: User): Promise<boolean> {
  for (const { source, purpose } of mounts) {
    if (purpose !== "given") continue;
    for (let folder = dirname(source); folder !== "/"; folder = dirname(folder))
      if (!mayEnter(await stat(folder, { bigint: true }), identity)) return false;
  }
  return true;
}

export function sandboxReport(
  host: SandboxHost,
  { identity, group }: Launch,
  unguarded: readonly string[],
): SandboxReport {
  const isRoot = host.isRoot && identity === "caller";
  const memoryLimit = group?.bounds.includes("memory") ? "tree" : "process";
  const possible: readonly (readonly [isSo: boolean, weakness: string])[] = [
    [host.filter === undefined, noFilter(process.arch)],
    [
      isRoot,
      "It ran with root's access to the folders it was given, since no other user can use them; give them to another user.",
    ],
    [
      isRoot && !group?.bounds.includes("pids"),
      "The number of processes is not limited: that needs a control group, or a user who is not root.",
    ],
    [
      !isRoot && identity === "caller" && !host.countsProcessesByRun,
      "The limit of processes counts all that the user runs, so it is generous; Linux 5.14 counts each run.",
    ],
    [memoryLimit === "process", `${PRIVATE_DATA_LIMITED} That needs a control group.`],
  ];
  const weaknesses = [...possible.flatMap(([isSo, weakness]) => (isSo ? [weakness] : [])), ...unguarded];
  const strength = weaknesses.length === 0 ? "full" : "reduced";
  return { backend: "bubblewrap", strength, weaknesses, memoryLimit };
}

export function noFilter(architecture: string): string {
  return `There is no filter of system calls for ${architecture}: local sockets in given folders can be reached.`;
}

export const PRIVATE_DATA_LIMITED =
  "Only the private memory of each process is limited, not shared memory, files in memory or the total.";
