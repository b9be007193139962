import { randomInt } from "node:crypto";

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
