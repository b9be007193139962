import { join, resolve } from "node:path";
import { type AuditRecord, readAudit } from "@skillet/core";
import { auditPath, withdrawApproval } from "@skillet/core/internal";
import { type Digest, digestTree, type TreeEntry } from "@skillet/kit/digest";
import { onRefusal } from "@skillet/kit/errors";
import { canonicalPath, isInside } from "@skillet/kit/files";
import { filesBelow, readApprovalsOrNone } from "../inspect/inspect-item.ts";
import { type LockEntry, lockedFiles } from "../lock/lock-entry.ts";
import { readLock } from "../lock/read-lock.ts";
import { type Change, commitChanges } from "../place/commit-changes.ts";
import { replacedTargets } from "../place/plan-steps.ts";
import { chosenEntries, type HubParts, scopedCommand } from "../plan/hub-parts.ts";
import { isAdopted } from "../plan/lock-source.ts";
import type { DoneItem } from "../plan-item.ts";
import { endAllowances } from "./allow-plugin.ts";

export interface RemoveRequest {
  readonly names: readonly string[];
  readonly discardEdits: boolean;
  readonly dryRun: boolean;
}

/**
 * Removes skills, all of them or none; their files stay in the store, so that they can come back. An adopted
 * skill stays in its folders and only leaves the lock: it may be the only copy.
 */
export async function removeSkills(parts: HubParts, request: RemoveRequest): Promise<readonly DoneItem[]> {
  const { names, discardEdits, dryRun } = request;
  const { lockFile: path } = parts;
  const chosen = names.length === 0 ? [] : chosenEntries(parts, [...new Set(names)]);
  const replaced = new Map<string, LockEntry["targets"]>();
  for (const [name, entry] of chosen) replaced.set(name, await replacedTargets(entry, parts));
  if (!dryRun && chosen.length > 0) {
    const changes = chosen.map(([name, before]): Change => {
      const { source, digest: replaces } = before;
      const record = { action: "remove", skill: name, path, source, replaces, decision: "allow" } as const;
      const keeps = [...adoptedTargets(parts, before), ...(replaced.get(name) ?? [])];
      return { kind: "remove", name, before, keeps, discardEdits, record };
    });
    await endAllowances(parts, changes);
    const onStage = (stage: string): void => parts.onStep({ step: "place", what: stage });
    await commitChanges({ ...parts, changes, onStage });
  }
  const withdrawn = dryRun ? new Set<string>() : await withdrawForced(parts, chosen);
  return chosen.map(([name, entry]) => {
    const { source, resolved, digest } = entry;
    const own = replaced.get(name) ?? [];
    const targets = entry.targets.filter((target) => !own.includes(target));
    const reasons = [
      ...own.map(({ path: left }) => `${left} is not what Skillet placed there, so it stays.`),
      ...stillNeeded(parts, name, names),
      ...unneeded(parts, entry, names),
      ...(withdrawn.has(name) ? [WITHDRAWN] : []),
    ];
    const reason = reasons.length > 0 && { reason: reasons.join(" ") };
    return { state: "done", name, source, resolved, digest, targets, outcome: "removed", ...reason };
  });
}

/** The targets of an adopted skill (its own source) that were there before Skillet listed it. */
export function adoptedTargets(
  { root, home }: Pick<HubParts, "root" | "home">,
  entry: Pick<LockEntry, "resolved" | "targets" | "linked">,
): LockEntry["targets"] {
  if (!isAdopted({ root }, entry)) return [];
  const base = canonicalPath(home);
  return entry.targets.filter(({ path }) => !isInside(canonicalPath(resolve(root, path)), base));
}

const WITHDRAWN = "Its approval by --force was withdrawn: the same files are decided about anew.";

// A skill that others need is removed if the user asks for it, but not silently.
function stillNeeded({ lock }: HubParts, name: string, removed: readonly string[]): readonly string[] {
  const needing = [...lock.skills]
    .filter(([other, { requires = [] }]) => requires.includes(name) && !removed.includes(other))
    .map(([other]) => other);
  return needing.length === 0 ? [] : [`${needing.join(", ")} asked for it and may not work without it.`];
}

// Skills that were installed only because this one needs them stay until the user removes them.
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

/**
 * Withdraws the forced approvals of removed skills: forcing was about having them here, and must not let the same bytes
 * in elsewhere years later. If another lock of this machine still contains them, the approval stays.
 *
 * Returns the names of the skills whose approval ended.
 */
async function withdrawForced(
  parts: HubParts,
  removed: readonly (readonly [name: string, entry: LockEntry])[],
): Promise<ReadonlySet<string>> {
  const { home, lockFile: path } = parts;
  const withdrawn = new Set<string>();
  // The user gave an approval with a reason explicitly, apart from any install.
  const forced = [...readApprovalsOrNone(home).values()].filter((one) => one.forced && !one.reason);
  if (forced.length === 0 || removed.length === 0) return withdrawn;
  const placed = await readPlaced(parts);
  const remaining = await remainingDigests(path, placed.keys());
  for (const [name, entry] of removed) {
    const versions = (placed.get(path)?.get(name) ?? []).filter((version) => version.forced === true);
    const digests = new Set(versions.flatMap(({ digest }) => digest ?? []));
    const own = new Set(await digestsOfVersions(parts, entry, digests));
    for (const { digest } of forced) {
      if (!own.has(digest) || remaining.has(digest)) continue;
      if (!(await withdrawApproval({ home, digest }))) continue;
      const reason = "the skill was removed, and with it the approval by --force";
      await parts.writeAudit({ action: "withdraw", skill: name, path, digest, decision: "allow", reason });
      withdrawn.add(name);
    }
  }
  return withdrawn;
}

const PLACING: ReadonlySet<string> = new Set(["install", "update", "rollback"]);

type Placed = ReadonlyMap<string, ReadonlyMap<string, readonly AuditRecord[]>>;

/** From the audit log: the locks of this machine, and what each of them placed, by skill. */
export async function readPlaced({ home, lockFile }: HubParts): Promise<Placed> {
  const placed = new Map<string, Map<string, AuditRecord[]>>([
    [lockFile, new Map()],
    [join(home, "lock.json"), new Map()],
  ]);
  for await (const { record } of readAudit(auditPath(home))) {
    if (record?.path === undefined || record.skill === undefined || !PLACING.has(record.action)) continue;
    const { path, skill } = record;
    const versions = placed.get(path) ?? new Map<string, AuditRecord[]>();
    placed.set(path, versions.set(skill, [...(versions.get(skill) ?? []), record]));
  }
  return placed;
}

async function remainingDigests(ownLock: string, locks: Iterable<string>): Promise<ReadonlySet<Digest>> {
  const digests = new Set<Digest>();
  for (const lock of locks) {
    // Another lock that cannot be read blocks nothing; its skills then need a new approval.
    const found = await onRefusal(readLock(lock), (error) => {
      if (lock === ownLock) throw error;
    });
    for (const entry of found?.skills.values() ?? [])
      for (const digest of digestsOf(entry)) digests.add(digest);
  }
  return digests;
}

async function digestsOfVersions(
  { store }: HubParts,
  entry: LockEntry,
  versions: ReadonlySet<Digest>,
): Promise<readonly Digest[]> {
  const digests = [...digestsOf(entry), ...versions];
  if (entry.kind === "skill") return digests;
  for (const version of versions) {
    const files = lockedFiles((await store.get(version)) ?? []);
    digests.push(...digestsOf({ kind: "plugin", digest: version, files }));
  }
  return digests;
}

/** The digests under which an entry's skills are offered: its own and, for a plugin, one per folder with a SKILL.md. */
function digestsOf({ kind, digest, files }: Pick<LockEntry, "kind" | "digest" | "files">): readonly Digest[] {
  const entries = Object.entries(files).map(([path, file]): TreeEntry => ({ path, ...file }));
  if (kind === "skill") return [digest, digestTree(entries)];
  const folders = entries
    .filter(({ path }) => /(?:^|\/)(?:SKILL|skill)\.md$/.test(path))
    .map(({ path }) => path.slice(0, Math.max(0, path.lastIndexOf("/"))));
  return [digest, ...[...new Set(folders)].map((folder) => digestTree(filesBelow(entries, folder)))];
}
