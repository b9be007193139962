import { onRefusal, SkilletError } from "@skillet/kit/errors";
import type { LockEntry } from "../lock/lock-entry.ts";
import { isEdit, nameFiles } from "../place/find-drift.ts";
import { verifyEntry } from "../place/verify-entry.ts";
import type { NewerTag, Plan, PlannedItem, RefusedItem } from "../plan-item.ts";
import { listGitTags } from "../sources/git/resolve-remote.ts";
import { resolveSource } from "../sources/open-source.ts";
import { type Resolved, showSource, sourceOfResolved } from "../sources/source.ts";
import { compareVersions } from "./find-doubts.ts";
import { chosenEntries, type HubParts, installAgain, scopedCommand, shellWord } from "./hub-parts.ts";
import { checkInside, fetchingFor, isAdopted, parseLockSource } from "./lock-source.ts";
import { planDependencies } from "./plan-dependencies.ts";
import { pinnedConflict, planItem } from "./plan-reading.ts";
import { asInstalled, readNewest } from "./read-installed.ts";
import { asOwn, refuseReading } from "./read-offer.ts";

export interface UpdateRequest {
  /** If empty, all. */
  readonly names: readonly string[];
  readonly force: boolean;
  /** Continue with the others if one cannot be updated. Default: all or nothing. */
  readonly keepGoing?: boolean;
}

/**
 * Fetches the newest version of installed skills, from the recorded source only; nothing is placed.
 *
 * If one source cannot be reached, that is reported and nothing is changed, unless `keepGoing` is set.
 */
export async function planUpdate(parts: HubParts, request: UpdateRequest): Promise<Plan> {
  const items: PlannedItem[] = [];
  const refusals: RefusedItem[] = [];
  for (const [name, entry] of chosenEntries(parts, request.names)) {
    const isHeld = entry.linked === true || entry.pinned !== undefined;
    if (isHeld && !request.names.includes(name)) continue;
    const planned = isHeld
      ? refuseHeld(parts, name, entry)
      : await planOne(parts, name, entry, request.force);
    if (planned.state === "refused") refusals.push({ ...planned, wanted: "update" });
    else items.push(planned);
  }
  const placing = { agents: [], agentTargets: "link" } as const;
  const dependencies = await planDependencies(parts, placing, { items, isUpdate: true });
  if (request.keepGoing === true) return { ...dependencies, failed: refusals };
  return { ...dependencies, refusals: [...refusals, ...dependencies.refusals] };
}

/** Leaves everything installed under the same name unchanged. */
export function withoutExisting(plan: Plan): Plan {
  const isTaken = ({ code, neededBy }: RefusedItem): boolean =>
    neededBy === undefined && (code === "name-taken" || code === "pinned");
  // The same bytes as well: the lock keeps the tag or the source that they came from.
  const there = plan.items.flatMap(({ name, installed }) => {
    const source = installed?.entry.source;
    return source === undefined ? [] : [{ name, source, reason: `It is installed from ${source}.` }];
  });
  const taken = plan.refusals
    .filter(isTaken)
    .map(({ name, source, reason }) => ({ name, source, reason: reason.replace(WAYS_OUT, ".") }));
  const present = { state: "refused", code: "present" } as const;
  return {
    ...plan,
    items: plan.items.filter(({ installed }) => installed === undefined),
    refusals: plan.refusals.filter((refusal) => !isTaken(refusal)),
    failed: [...(plan.failed ?? []), ...[...there, ...taken].map((one) => ({ ...one, ...present }))],
  };
}

const WAYS_OUT = /(?:; pass|[.] Move) .*$/;

/** Leaves out what requires a refused item, and everything that only this would have required. */
export function withoutRefused({ items, refusals, failed = [], diagnostics }: Plan): Plan {
  const needing = new Map(refusals.map(({ name, neededBy = "" }) => [neededBy, name]));
  const left = leftWithDeclined(items, needing);
  const stays = items.flatMap(({ name, entry, installed }): readonly RefusedItem[] => {
    const needed = needing.get(name);
    if (needed === undefined) return [];
    const reason = `${name} was left out, because it needs ${needed}, which is refused.`;
    const wanted = installed && ({ wanted: "update" } as const);
    return [{ state: "refused", name, source: entry.source, code: "unavailable", reason, ...wanted }];
  });
  return {
    items: items.filter(({ name }) => !needing.has(name) && !left.has(name)),
    refusals: [],
    failed: [...failed, ...stays, ...refusals],
    diagnostics,
  };
}

function refuseHeld(parts: HubParts, name: string, entry: LockEntry): RefusedItem {
  const { source, digest } = entry;
  if (entry.linked !== true) return { state: "refused", name, source, ...pinnedConflict(parts, name, entry) };
  const reason = `${name} is linked: its folder is used as it is, so there is nothing to update. Bring the folder itself up to date, or install it without --link.`;
  return { state: "refused", name, source, digest, code: "linked", reason };
}

async function planOne(
  parts: HubParts,
  name: string,
  entry: LockEntry,
  force: boolean,
): Promise<PlannedItem | RefusedItem> {
  const item = await planNewest(parts, name, entry, force);
  if (item.state === "refused") return item;
  const newerTag = await findNewerTag(parts, name, entry, item.entry.resolved);
  return newerTag === undefined ? item : { ...item, newerTag };
}

async function planNewest(
  parts: HubParts,
  name: string,
  entry: LockEntry,
  force: boolean,
): Promise<PlannedItem | RefusedItem> {
  const { source, targets } = entry;
  try {
    const reading = asOwn(parts, await readNewest(parts, name, entry), await isNamedHere(parts, entry));
    if (reading.state === "unfit") return refuseReading({ ...reading, name }, source, "updated");
    const declaredName = reading.name === name ? undefined : reading.name;
    const details = { source, targets, force, declaredName, action: "update" } as const;
    return await planItem(parts, asInstalled(reading, name), details);
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    const reason = `${name} cannot be updated: ${error.message}`;
    const code = error.code === "gone-upstream" ? error.code : "unavailable";
    return { state: "refused", name, source, code, reason };
  }
}

// The author of a project's lock named its folders, and the author of an imported file those that came with it.
async function isNamedHere({ scope, decisions, lockFile }: HubParts, entry: LockEntry): Promise<boolean> {
  if (entry.askedBy === "content") return false;
  return scope.kind === "user" || decisions.isNamed(lockFile, entry.source, "local");
}

/**
 * The items that cannot continue without the declined ones, with the reason: versions that newly require one
 * of them, and skills that only declined ones required.
 */
export function leftWithDeclined(
  items: readonly PlannedItem[],
  declined: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const left = new Map<string, string>();
  const isOut = (name: string): boolean => declined.has(name) || left.has(name);
  const isNewlyOut = (name: string): boolean =>
    isOut(name) && items.some((item) => item.name === name && item.installed === undefined);
  for (let size = -1; size !== left.size; ) {
    size = left.size;
    for (const { name, entry, installed } of items) {
      if (isOut(name)) continue;
      const needed = entry.requires?.find(isNewlyOut);
      const bringers = installed === undefined ? (entry.requiredBy ?? []) : [];
      if (needed !== undefined) left.set(name, `It was not updated, because it now needs ${needed}.`);
      else if (bringers.length > 0 && bringers.every(isOut))
        left.set(name, `It was not installed, because only ${bringers.join(", ")} would have needed it.`);
    }
  }
  return left;
}

/** The state of an installed skill compared with its source. */
export interface Standing {
  readonly name: string;
  readonly source: string;
  readonly installed: Resolved;
  /** Absent if the source could not be reached. */
  readonly newest?: Resolved;
  readonly newerTag?: NewerTag;
  /** `edited`: its source is the folder that agents read, and it was edited there. */
  readonly state: "current" | "outdated" | "edited" | "pinned" | "linked" | "unavailable";
  readonly reason?: string;
}

/** Whether a skill was adopted in place with its own folder as the source, rather than a guessed repository. */
export function isInPlace(place: Pick<HubParts, "root">, entry: LockEntry): boolean {
  const folder = showSource(sourceOfResolved(entry.resolved, (path) => path));
  return isAdopted(place, entry) && entry.source === folder;
}

/** Asks a skill's source for its newest pin, and reads it if the pin alone does not tell; changes nothing. */
export async function standingOf(parts: HubParts, name: string, entry: LockEntry): Promise<Standing> {
  const { source, resolved: installed } = entry;
  const known = { name, source, installed };
  if (entry.linked === true) return { ...known, state: "linked", reason: "the folder itself is used" };
  try {
    await checkInside(parts, name, entry);
    const newest = await resolveSource(parseLockSource(source, parts), fetchingFor(parts, entry), installed);
    const newerTag = await findNewerTag(parts, name, entry, newest);
    const found = { ...known, newest, ...(newerTag && { newerTag }) };
    const why = entry.pinned?.reason;
    if (why !== undefined) return { ...found, state: "pinned", ...(why && { reason: `pinned: ${why}` }) };
    const isCurrent = isTelling(newest, installed)
      ? isSamePin(newest, installed)
      : await isNewest(parts, name, entry);
    const edits = (await verifyEntry(parts.root, name, entry, parts)).filter(isEdit);
    const [edit] = edits;
    const isEdited = edit !== undefined && !isCurrent && isInPlace(parts, entry);
    const drop = scopedCommand(parts, `update ${shellWord(name)} --discard`);
    const keep = isEdited ? ` To keep the edits: ${scopedCommand(parts, `update ${shellWord(name)}`)}` : "";
    const reason =
      edit && `Edited in ${edit.target}: ${nameFiles(edits)}.${keep}\nTo drop the edits: ${drop}`;
    const state = isCurrent ? "current" : isEdited ? "edited" : "outdated";
    return { ...found, state, ...(reason && { reason }) };
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    return { ...known, state: "unavailable", reason: error.message };
  }
}

async function findNewerTag(
  parts: HubParts,
  name: string,
  entry: LockEntry,
  newest: Resolved,
): Promise<NewerTag | undefined> {
  const asked = parseLockSource(entry.source, parts);
  if (asked.kind !== "git" || asked.ref === undefined || newest.kind !== "git") return undefined;
  if (newest.ref?.startsWith("refs/tags/") !== true) return undefined;
  let tag = asked.ref.replace(/^refs\/tags\//, "");
  const isFinal = !tag.includes("-");
  // Only a hint: if tags cannot be listed, the result is complete without it.
  const tags = await onRefusal(listGitTags(asked, fetchingFor(parts, entry)), () => []);
  for (const one of tags)
    if (compareVersions(one, tag) === "newer" && !(isFinal && one.includes("-"))) tag = one;
  if (newest.ref === `refs/tags/${tag}`) return undefined;
  const source = showSource({ ...asked, ref: tag });
  const newer = { tag, source, command: installAgain(parts, name, { ...entry, source }) };
  // Whoever named the source for this lock need not have named its other tags, so the named source is checked.
  const isNamed: typeof parts.decisions.isNamed = (lockFile, _, origin) =>
    parts.decisions.isNamed(lockFile, entry.source, origin);
  const asNamed = { ...parts, decisions: { ...parts.decisions, isNamed } };
  const there = await planNewest(asNamed, name, { ...entry, source }, false);
  if (there.state === "refused")
    return { ...newer, refused: there.code === "gone-upstream" ? "" : there.reason };
  if (there.entry.digest === entry.digest) return undefined;
  return entry.pinned ? { ...newer, refused: pinnedConflict(parts, name, entry).reason } : newer;
}

async function isNewest(parts: HubParts, name: string, entry: LockEntry): Promise<boolean> {
  const reading = await readNewest(parts, name, entry);
  return reading.state === "read" && asInstalled(reading, name).digest === entry.digest;
}

// Folders and indexes without digests may change under the same pin; another commit may change other skills only.
function isTelling(newest: Resolved, installed: Resolved): boolean {
  if (newest.kind === "git") return isSamePin(newest, installed);
  return newest.kind !== "local" && !(newest.kind === "well-known" && newest.digest === undefined);
}

// A renamed branch still leads to the same commit.
function isSamePin(left: Resolved, right: Resolved): boolean {
  if (left.kind === "git" && right.kind === "git") return left.commit === right.commit;
  if (left.kind === "npm" && right.kind === "npm") return left.integrity === right.integrity;
  return "digest" in left && "digest" in right && left.digest !== undefined && left.digest === right.digest;
}
