import type { LockEntry } from "../lock/lock-entry.ts";

/**
 * Which allowances of a plugin hold for another version of it: none, unless every byte is the same.
 *
 * A hook runs whatever it names, and that may be called `notes.md`; so no kind of file is too harmless to be looked at.
 */
export function heldAllowances(
  before: Pick<LockEntry, "allowed" | "digest">,
  after: Pick<LockEntry, "digest">,
): NonNullable<LockEntry["allowed"]> {
  const none = { hooks: false, mcpServers: false };
  return before.digest === after.digest ? (before.allowed ?? none) : none;
}
