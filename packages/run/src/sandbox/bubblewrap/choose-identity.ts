import { randomInt } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { lstat } from "node:fs/promises";
import { dirname } from "node:path";
import { HOME_PLACE } from "../sandbox.ts";
import { inMountOrder, type Mount, nearestMount } from "./bubblewrap-arguments.ts";

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

/** A command of root's that becomes somebody else in a place where that user can reach what is given. */
interface DroppedCommand {
  readonly prefix: readonly string[];
  /** With sources at the places where the user reaches them. */
  readonly mounts: readonly Mount[];
}

/**
 * Wraps bubblewrap in another one, run by root: folders that only root can enter are mounted where another user
 * reaches them, and then the rights are given up. The processes it starts end with it, in a namespace of their own.
 */
export function dropRights(options: {
  readonly bwrap: string;
  readonly setpriv: string;
  readonly identity: { readonly uid: number; readonly gid: number };
  readonly mounts: readonly Mount[];
  /** A folder of the host to mount things in; what lies there is out of sight for bubblewrap itself. */
  readonly place: string;
}): DroppedCommand {
  const { bwrap, setpriv, identity, mounts, place } = options;
  const given = mounts.filter(({ purpose }) => purpose === "given");
  const places = new Map(given.map(({ source }, index) => [source, `${place}/${index}`]));
  const prefix = [
    ...[bwrap, "--unshare-pid", "--die-with-parent", "--dev-bind", "/", "/", "--tmpfs", place],
    ...given.flatMap(({ source, access }) => [
      access === "writable" ? "--bind" : "--ro-bind",
      source,
      places.get(source) ?? place,
    ]),
    ...giveUpRights(setpriv, identity),
  ];
  return { prefix, mounts: mounts.map((mount) => ({ ...mount, source: placeOf(mount.source, places) })) };
}

function placeOf(source: string, places: ReadonlyMap<string, string>): string {
  const folder = [...places.keys()]
    .filter((given) => source === given || source.startsWith(`${given}/`))
    .sort((left, right) => right.length - left.length)[0];
  return folder === undefined ? source : `${places.get(folder) ?? folder}${source.slice(folder.length)}`;
}

/** What stands between bubblewrap's own arguments and the program that is to run as somebody without rights. */
export function giveUpRights(
  setpriv: string,
  { uid, gid }: { readonly uid: number; readonly gid: number },
): string[] {
  return [
    ...["--cap-drop", "ALL"],
    ...["SETUID", "SETGID", "SETPCAP"].flatMap((name) => ["--cap-add", `CAP_${name}`]),
    ...["--", setpriv, `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"],
    ...["--bounding-set=-all", "--inh-caps=-all", "--"],
  ];
}

// systemd's range for users that exist only while something runs; nothing on a disk belongs to them.
export const FIRST_UNUSED_UID = 61_184;
export const LAST_UNUSED_UID = 65_519;

const taken = new Set<number>();

/** A user that nobody is, another one for each run at a time, until it is given back. */
export function takeUnusedUser(): { readonly uid: number; readonly gid: number; giveBack(): void } {
  let uid = randomInt(FIRST_UNUSED_UID, LAST_UNUSED_UID + 1);
  while (taken.has(uid)) uid = uid === LAST_UNUSED_UID ? FIRST_UNUSED_UID : uid + 1;
  taken.add(uid);
  return { uid, gid: uid, giveBack: () => void taken.delete(uid) };
}

/** Who a script is in the sandbox, whoever started it. */
export const SANDBOX_UID = 1000;
export const SANDBOX_HOSTNAME = "skillet";

const ID = SANDBOX_UID;

/** Files that programs expect in /etc; the host's own would name its users and networks. */
export const ACCOUNT_FILES: readonly (readonly [path: string, text: string])[] = [
  [
    "/etc/passwd",
    [
      "root:x:0:0:root:/:/usr/sbin/nologin",
      `skillet:x:${ID}:${ID}:skillet:${HOME_PLACE}:/bin/sh`,
      "nobody:x:65534:65534:nobody:/:/usr/sbin/nologin",
      "",
    ].join("\n"),
  ],
  ["/etc/group", ["root:x:0:", `skillet:x:${ID}:`, "nogroup:x:65534:", ""].join("\n")],
  ["/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\nservices: files\nprotocols: files\n"],
  ["/etc/hosts", `127.0.0.1 localhost ${SANDBOX_HOSTNAME}\n::1 localhost\n`],
];
