import { randomInt } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { lstat } from "node:fs/promises";
import { dirname } from "node:path";
import { isInside } from "@skillet/kit/files";
import { inMountOrder, type Mount, nearestMount } from "./bubblewrap-arguments.ts";

export interface User {
  readonly uid: number;
  readonly gid: number;
}

const READ_AND_ENTER = 0o5;
const READ_WRITE_AND_ENTER = 0o7;
const ENTER = 0o1;

/**
 * Chooses which user root becomes: an unused one, or an owner of a given folder, if that user can use
 * everything given. Root stays root only for folders that no other user can use.
 */
export function chooseIdentity(mounts: readonly Mount[], unused: User): User | "caller" {
  const given = mounts.filter(({ purpose }) => purpose === "given");
  const owners = given
    .filter(({ stats }) => stats.uid !== 0n)
    .map(({ stats }) => ({ uid: Number(stats.uid), gid: Number(stats.gid) }));
  const suffices = (user: User): boolean =>
    given.every(({ stats, access }) =>
      allows(stats, user, access === "writable" ? READ_WRITE_AND_ENTER : READ_AND_ENTER),
    );
  return [unused, ...owners].find(suffices) ?? "caller";
}

/**
 * Guards that the user cannot reach could not be mounted. Instead, the folder closed to that user is hidden
 * entirely: its owner could open it again, and a group or access list may admit users beyond the mode.
 */
export async function reachableMounts(mounts: readonly Mount[], user: User): Promise<Mount[]> {
  const given = mounts.filter(({ purpose }) => purpose === "given");
  const reachable = new Map<string, Mount>();
  const closed = new Map<string, Mount>();
  for (const mount of mounts) {
    const folder = mount.purpose === "given" ? undefined : await findClosed(mount.path, given, user);
    if (folder === undefined) reachable.set(mount.path, mount);
    else closed.set(folder.path, { ...folder, source: folder.path, access: "hidden", purpose: "guard" });
  }
  return [...new Map([...reachable, ...closed]).values()].sort(inMountOrder);
}

/** The first folder on the way down from a given folder that the user cannot enter. */
async function findClosed(
  path: string,
  given: readonly Mount[],
  user: User,
): Promise<Pick<Mount, "path" | "stats"> | undefined> {
  const top = nearestMount(path, given)?.path ?? "/";
  let closed: Pick<Mount, "path" | "stats"> | undefined;
  for (let folder = dirname(path); folder !== top && folder !== "/"; folder = dirname(folder)) {
    const stats = await lstat(folder, { bigint: true });
    if (!mayEnter(stats, user)) closed = { path: folder, stats };
  }
  return closed;
}

export function mayEnter(stats: BigIntStats, user: User): boolean {
  return allows(stats, user, ENTER);
}

function allows({ mode, uid, gid }: BigIntStats, user: User, wanted: number): boolean {
  const shift = Number(uid) === user.uid ? 6 : Number(gid) === user.gid ? 3 : 0;
  return ((Number(mode) >> shift) & wanted) === wanted;
}

export interface WayDown {
  readonly bwrap: string;
  readonly setpriv: string;
  /** A folder of the host to mount things in; the inner bubblewrap cannot see its original contents. */
  readonly place: string;
}

/** The command with which root becomes another user, and the mounts with sources that this user can reach. */
export function dropRights(
  options: WayDown & { readonly identity: User; readonly mounts: readonly Mount[] },
): { readonly prefix: readonly string[]; readonly mounts: readonly Mount[] } {
  const { identity, mounts, ...way } = options;
  const given = mounts.filter(({ purpose }) => purpose === "given");
  const places = new Map(given.map(({ source }, index) => [source, `${way.place}/${index}`]));
  const binds = given.map(({ source, access }) => ({
    source,
    access,
    path: places.get(source) ?? way.place,
  }));
  return {
    prefix: dropPrefix(way, identity, binds),
    mounts: mounts.map((mount) => ({ ...mount, source: placeOf(mount.source, places) })),
  };
}

/**
 * The command before a bubblewrap that root starts as an unprivileged user: an outer one that mounts folders
 * only root can enter where that user reaches them, then drops all rights. Its processes end with it.
 */
export function dropPrefix(
  { bwrap, setpriv, place }: WayDown,
  { uid, gid }: User,
  binds: readonly Pick<Mount, "source" | "path" | "access">[],
): string[] {
  return [
    ...[bwrap, "--unshare-pid", "--die-with-parent", "--dev-bind", "/", "/", "--tmpfs", place],
    ...binds.flatMap(({ source, path, access }) => [
      ...[access === "writable" ? "--bind" : "--ro-bind", source, path],
    ]),
    ...["--cap-drop", "ALL"],
    ...["SETUID", "SETGID", "SETPCAP"].flatMap((name) => ["--cap-add", `CAP_${name}`]),
    ...["--", setpriv, `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"],
    ...["--bounding-set=-all", "--inh-caps=-all", "--"],
  ];
}

function placeOf(source: string, places: ReadonlyMap<string, string>): string {
  const folder = [...places.keys()]
    .filter((given) => isInside(source, given))
    .sort((left, right) => right.length - left.length)[0];
  return folder === undefined ? source : `${places.get(folder) ?? folder}${source.slice(folder.length)}`;
}

// systemd's range for users that exist only while a service runs; they own no files on disk.
const FIRST_UNUSED_UID = 61_184;
const LAST_UNUSED_UID = 65_519;

export function randomUnusedUser(): User {
  const uid = randomInt(FIRST_UNUSED_UID, LAST_UNUSED_UID + 1);
  return { uid, gid: uid };
}

const taken = new Set<number>();

/** An unused user, different for each concurrent run until it is given back. */
export function takeUnusedUser(): User & { giveBack(): void } {
  let { uid } = randomUnusedUser();
  while (taken.has(uid)) uid = uid === LAST_UNUSED_UID ? FIRST_UNUSED_UID : uid + 1;
  taken.add(uid);
  return { uid, gid: uid, giveBack: () => void taken.delete(uid) };
}
