import { join } from "node:path";
import { readAudit } from "@skillet/core";
import { type Approval, auditPath, readApprovals, withdrawApproval } from "@skillet/core/internal";
import { type Digest, digestBytes, digestTree, type TreeEntry } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import type { LockEntry } from "../lock/lock-entry.ts";
import { readLock } from "../lock/read-lock.ts";
import { type Change, commitChanges } from "../place/commit-changes.ts";
import { chosenEntries, type HubParts, scopedCommand } from "../plan/hub-parts.ts";
import { endAllowances } from "./allow-plugin.ts";
import type { HubResult } from "./hub-result.ts";

/** Takes skills away, all of them or none; their files stay in the store, so that they can come back. */
export async function removeSkills(
  parts: HubParts,
  request: { readonly names: readonly string[]; readonly discardEdits: boolean; readonly dryRun: boolean },
): Promise<readonly HubResult[]> {
  const { names, discardEdits, dryRun } = request;
  const chosen = names.length === 0 ? [] : chosenEntries(parts, [...new Set(names)]);
  if (!dryRun && chosen.length > 0) {
    const changes = chosen.map(([name, before]): Change => {
      const { source, digest: replaces } = before;
      const record = {
        action: "remove",
        skill: name,
        path: parts.lockFile,
        source,
        replaces,
        decision: "allow",
      } as const;
      return { kind: "remove", name, before, discardEdits, record };
    });
    await endAllowances(parts, changes);
    const onStage = (stage: string): void => parts.onStep({ step: "place", what: stage });
    await commitChanges({ ...parts, changes, onStage });
  }
  const withdrawn = dryRun ? new Set<string>() : await withdrawForced(parts, chosen);
  return chosen.map(([name, entry]) => {
    const { source, resolved, digest, targets } = entry;
    const reasons = [
      ...stillNeeded(parts, name, names),
      ...unneeded(parts, entry, names),
      ...(withdrawn.has(name) ? [WITHDRAWN] : []),
    ];
    const reason = reasons.length > 0 && { reason: reasons.join(" ") };
    return { name, source, resolved, digest, targets, outcome: "removed", ...reason };
  });
}

const WITHDRAWN = "What let it in by --force was taken back: the same files are decided about anew.";

// What others need is removed when it is asked for, but not in silence.
function stillNeeded({ lock }: HubParts, name: string, removed: readonly string[]): readonly string[] {
  const needing = [...lock.skills]
    .filter(([other, { requires = [] }]) => requires.includes(name) && !removed.includes(other))
    .map(([other]) => other);
  return needing.length === 0 ? [] : [`${needing.join(", ")} asked for it and may not work without it.`];
}

// What was only brought along stays until someone says otherwise.
function unneeded(
  parts: HubParts,
  { requires = [] }: LockEntry,
  removed: readonly string[],
): readonly string[] {
  const left = [...parts.lock.skills].filter(([name]) => !removed.includes(name));
  const names = requires.filter(
    (name) =>
      left.some(([other, entry]) => other === name && entry.requiredBy !== undefined) &&
      left.every(([, entry]) => entry.requires?.includes(name) !== true),
  );
  if (names.length === 0) return [];
  const command = scopedCommand(parts, `remove ${names.join(" ")}`);
  return [`It brought ${names.join(", ")} along, which nothing else needs now: ${command}`];
}

type Removed = readonly [name: string, entry: LockEntry];

/**
 * Takes back what someone let in by force, once it is removed: insisting was about having it there, and must not let
 * the same bytes in elsewhere years later. Where another lock of this machine still holds them, the yes stays.
 *
 * Gives the names whose approval ended.
 */
async function withdrawForced(parts: HubParts, removed: readonly Removed[]): Promise<ReadonlySet<string>> {
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
    // Someone else's lock that cannot be read holds nothing up; whoever needs the yes is asked again.
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

/** The digests under which the skills of a tree are offered: a skill's own, or those of each folder with a SKILL.md. */
function offeredDigestsIn(kind: "skill" | "plugin", entries: readonly TreeEntry[]): readonly Digest[] {
  if (kind === "skill") return [digestTree(entries)];
  const folders = entries
    .filter(({ path }) => /(?:^|\/)(?:SKILL|skill)\.md$/.test(path))
    .map(({ path }) => path.slice(0, Math.max(0, path.lastIndexOf("/"))));
  return [...new Set(folders)].map((folder) => {
    const prefix = folder === "" ? "" : `${folder}/`;
    const own = entries.filter(({ path }) => path.startsWith(prefix));
    return digestTree(own.map((entry) => ({ ...entry, path: entry.path.slice(prefix.length) })));
  });
}
