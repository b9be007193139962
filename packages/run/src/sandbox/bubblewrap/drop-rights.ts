import { giveUpRights } from "../give-up-rights.ts";
import type { Mount } from "./mount.ts";

/** A command of root's that becomes somebody else in a place where that user can reach what is given. */
export interface DroppedCommand {
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
