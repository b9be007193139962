import type { BigIntStats } from "node:fs";
import { lstat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Mount } from "./plan-mounts.ts";

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

/** Leaves out guards that the identity cannot reach: then the script cannot either, and the mount would fail. */
export async function reachableMounts(mounts: readonly Mount[], identity: Identity): Promise<Mount[]> {
  if (identity === "caller") return [...mounts];
  const given = new Set(mounts.filter(({ purpose }) => purpose === "given").map(({ path }) => path));
  const reachable: Mount[] = [];
  for (const mount of mounts)
    if (mount.purpose === "given" || (await canReach(mount.path, given, identity))) reachable.push(mount);
  return reachable;
}

async function canReach(
  path: string,
  given: ReadonlySet<string>,
  identity: { uid: number; gid: number },
): Promise<boolean> {
  for (let folder = dirname(path); !given.has(folder) && folder !== "/"; folder = dirname(folder))
    if (!mayEnter(await lstat(folder, { bigint: true }), identity)) return false;
  return true;
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
