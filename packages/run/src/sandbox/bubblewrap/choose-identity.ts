import type { BigIntStats } from "node:fs";
import { lstat } from "node:fs/promises";
import { dirname } from "node:path";
import { inMountOrder, type Mount, nearestMount } from "./mount.ts";

/** Whom a script's processes belong to on the host: the caller, or somebody without rights. */
export type Identity = "caller" | { readonly uid: number; readonly gid: number };

const READ_AND_ENTER = 0o5;
const READ_WRITE_AND_ENTER = 0o7;
const ENTER = 0o1;

/**
 * Chooses for root whom to become: a user that nobody is, or the owner of what is given, as long as everything given
 * can be used by it; root itself is left only for folders which nobody else can use.
 */
export function chooseIdentity(mounts: readonly Mount[], nobody: { uid: number; gid: number }): Identity {
  const given = mounts.filter(({ purpose }) => purpose === "given");
  const owners = given
    .filter(({ stats }) => stats.uid !== 0n)
    .map(({ stats }) => ({ uid: Number(stats.uid), gid: Number(stats.gid) }));
  const suffices = (identity: { uid: number; gid: number }): boolean =>
    given.every(({ stats, access }) =>
      allows(stats, identity, access === "writable" ? READ_WRITE_AND_ENTER : READ_AND_ENTER),
    );
  return [nobody, ...owners].find(suffices) ?? "caller";
}

/**
 * Guards that the identity cannot reach could not be mounted. Instead the folder that is closed to it is hidden as a
 * whole: its owner could open it again, and a group or an access list may let somebody in of whom the mode says nothing.
 */
export async function reachableMounts(
  mounts: readonly Mount[],
  identity: { readonly uid: number; readonly gid: number },
): Promise<Mount[]> {
  const given = mounts.filter(({ purpose }) => purpose === "given");
  const reachable = new Map<string, Mount>();
  const closed = new Map<string, Mount>();
  for (const mount of mounts) {
    const folder = mount.purpose === "given" ? undefined : await findClosed(mount.path, given, identity);
    if (folder === undefined) reachable.set(mount.path, mount);
    else closed.set(folder.path, { ...folder, source: folder.path, access: "hidden", purpose: "guard" });
  }
  return [...new Map([...reachable, ...closed]).values()].sort(inMountOrder);
}

/** The first folder on the way from what is given that the identity cannot enter. */
async function findClosed(
  path: string,
  given: readonly Mount[],
  identity: { uid: number; gid: number },
): Promise<Pick<Mount, "path" | "stats"> | undefined> {
  const top = nearestMount(path, given)?.path ?? "/";
  let closed: Pick<Mount, "path" | "stats"> | undefined;
  for (let folder = dirname(path); folder !== top && folder !== "/"; folder = dirname(folder)) {
    const stats = await lstat(folder, { bigint: true });
    if (!mayEnter(stats, identity)) closed = { path: folder, stats };
  }
  return closed;
}

/** Whether somebody can go through a folder to what lies in it. */
export function mayEnter(stats: BigIntStats, identity: { uid: number; gid: number }): boolean {
  return allows(stats, identity, ENTER);
}

function allows(
  { mode, uid, gid }: BigIntStats,
  identity: { uid: number; gid: number },
  wanted: number,
): boolean {
  const shift = Number(uid) === identity.uid ? 6 : Number(gid) === identity.gid ? 3 : 0;
  return ((Number(mode) >> shift) & wanted) === wanted;
}
