import { join } from "node:path";
import { type Approval, auditPath, readApprovals, readAudit, withdrawApproval } from "@skillet/core";
import { type Digest, digestBytes, type TreeEntry } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import type { LockEntry } from "../lock/lock-entry.ts";
import { readLock } from "../lock/read-lock.ts";
import type { HubParts } from "../plan/hub-parts.ts";
import { offeredDigestsIn } from "./offered-digests.ts";

/** A skill that was just removed, as the lock had it. */
export type Removed = readonly [name: string, entry: LockEntry];

/**
 * Takes back what somebody let in by force, once it is removed: insisting was about having it there, and must not let
 * the same bytes in elsewhere years later. Where another lock of this machine still holds them, the yes stays.
 *
 * Gives the names whose approval ended.
 */
export async function withdrawForced(
  parts: HubParts,
  removed: readonly Removed[],
): Promise<ReadonlySet<string>> {
  const forced = forcedApprovals(parts);
  if (forced.length === 0 || removed.length === 0) return new Set();
  const told = await readTold(parts);
  const remaining = await remainingDigests(parts, told.locks);
  const withdrawn = new Set<string>();
  for (const [name, entry] of removed) {
    const own = new Set(await digestsOfVersions(parts, entry, told.versions.get(name) ?? new Set()));
    for (const { digest } of forced) {
      if (!own.has(digest) || remaining.has(digest)) continue;
      if (!(await withdrawApproval({ home: parts.home, digest }))) continue;
      const record = { action: "withdraw", skill: name, path: parts.lockFile, digest } as const;
      await parts.writeAudit({ ...record, decision: "allow", reason: REASON });
      withdrawn.add(name);
    }
  }
  return withdrawn;
}

const REASON = "the skill was removed, and with it the yes by --force";

function forcedApprovals({ home }: HubParts): readonly Approval[] {
  try {
    return [...readApprovals(home).approvals.values()].filter(({ forced }) => forced);
  } catch (error) {
    // A store that is broken approves nothing, so there is nothing to take back.
    if (SkilletError.isInstance(error) && error.code === "approvals-invalid") return [];
    throw error;
  }
}

/** What the audit log tells: the locks of this machine, and by name which versions were forced into this one. */
interface Told {
  readonly locks: ReadonlySet<string>;
  readonly versions: ReadonlyMap<string, ReadonlySet<Digest>>;
}

async function readTold({ home, lockFile }: HubParts): Promise<Told> {
  const locks = new Set([lockFile, join(home, "lock.json")]);
  const versions = new Map<string, Set<Digest>>();
  for await (const { record } of readAudit(auditPath(home))) {
    const { action, path, skill, digest, forced } = record ?? {};
    if (path === undefined || action === undefined || !PLACING.has(action)) continue;
    locks.add(path);
    if (path !== lockFile || skill === undefined || digest === undefined || forced !== true) continue;
    versions.set(skill, (versions.get(skill) ?? new Set()).add(digest));
  }
  return { locks, versions };
}

const PLACING: ReadonlySet<string> = new Set(["install", "update", "rollback"]);

async function remainingDigests(
  { lockFile }: HubParts,
  locks: ReadonlySet<string>,
): Promise<ReadonlySet<Digest>> {
  const digests = new Set<Digest>();
  for (const lock of locks)
    for (const entry of await entriesOf(lock, { isOwn: lock === lockFile }))
      for (const digest of digestsOf(entry)) digests.add(digest);
  return digests;
}

async function entriesOf(
  lock: string,
  { isOwn }: { readonly isOwn: boolean },
): Promise<readonly LockEntry[]> {
  try {
    return [...(await readLock(lock)).skills.values()];
  } catch (error) {
    // Somebody else's lock that cannot be read holds nothing up; whoever needs the yes is asked again.
    if (isOwn || !SkilletError.isInstance(error)) throw error;
    return [];
  }
}

function digestsOf({ kind, digest, files }: LockEntry): readonly Digest[] {
  const tree = Object.entries(files).map(([path, file]): TreeEntry => ({ path, ...file }));
  return [digest, ...offeredDigestsIn(kind, tree)];
}

async function digestsOfVersions(
  { store }: HubParts,
  entry: LockEntry,
  versions: ReadonlySet<Digest>,
): Promise<readonly Digest[]> {
  const digests = [...digestsOf(entry), ...versions];
  if (entry.kind === "skill") return digests;
  for (const version of versions) {
    const files = (await store.get(version)) ?? [];
    const entries = files.map(({ bytes, ...file }) => ({
      ...file,
      digest: digestBytes(bytes),
      size: bytes.length,
    }));
    digests.push(...offeredDigestsIn("plugin", entries));
  }
  return digests;
}
