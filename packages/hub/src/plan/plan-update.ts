import { suggestNames } from "@skillet/core/internal";
import { SkilletError } from "@skillet/kit/errors";
import type { Candidate, CandidateReading } from "../candidate/candidate.ts";
import { renameCandidate } from "../candidate/rename-candidate.ts";
import { findOffers } from "../discover/find-offers.ts";
import type { Offer } from "../discover/offer.ts";
import { pickOffers } from "../discover/pick-offers.ts";
import type { LockEntry } from "../lock/lock-entry.ts";
import { openSource } from "../sources/open-source.ts";
import { rootName } from "../sources/source-tail.ts";
import { fetchingFor } from "./check-signatures.ts";
import { parseLockSource, refuseLinkedUpdate } from "./create-entry.ts";
import { type HubParts, scopedCommand } from "./hub-parts.ts";
import type { Plan, PlanItem, Refusal } from "./plan.ts";
import { planDependencies } from "./plan-dependencies.ts";
import { planItem } from "./plan-item.ts";
import { checkInside, isAskedHere } from "./plan-reading.ts";
import { asOwn, folderOf, readOffer, refuseReading } from "./read-offer.ts";

export interface UpdateRequest {
  /** Empty: all. */
  readonly names: readonly string[];
  readonly force: boolean;
  /** Go on with the others where one of them cannot be updated; default: half an update is none. */
  readonly keepGoing?: boolean;
}

/**
 * Fetches the newest version of what is installed, from the recorded source and no other; nothing is placed.
 *
 * One that cannot be reached is reported, and with it nothing is changed, unless somebody said to keep going.
 */
export async function planUpdate(parts: HubParts, request: UpdateRequest): Promise<Plan> {
  const items: PlanItem[] = [];
  const refusals: Refusal[] = [];
  for (const [name, entry] of chosenEntries(parts, request.names)) {
    if (entry.linked === true) {
      if (request.names.includes(name)) refusals.push(refuseLinkedUpdate(name, entry));
      continue;
    }
    if (entry.pinned !== undefined) {
      if (request.names.includes(name)) refusals.push(pinned(parts, name, entry));
      continue;
    }
    const planned = await planOne(parts, name, entry, request.force);
    if ("code" in planned) refusals.push(planned);
    else items.push(planned);
  }
  const dependencies = await planDependencies(
    parts,
    { agents: [], agentTargets: "link" },
    { items, isUpdate: true },
  );
  const own = refusals.map((refusal): Refusal => ({ ...refusal, wanted: "update" }));
  if (request.keepGoing === true) return withoutRefused({ ...dependencies, failed: own });
  return { ...dependencies, refusals: [...own, ...dependencies.refusals] };
}

// A version that needs what is refused stays away with it, and so does whatever it alone would have brought along.
function withoutRefused({ items, refusals, failed = [], diagnostics }: Plan): Plan {
  const needing = new Map(refusals.map(({ name, neededBy = "" }) => [neededBy, name]));
  const left = leftWithDeclined(items, needing);
  const stays = items.flatMap(({ name, entry, before }): readonly Refusal[] => {
    const needed = needing.get(name);
    if (needed === undefined || before === undefined) return [];
    const reason = `${name} was left as it is, because it now needs ${needed}, which is refused.`;
    return [{ name, source: entry.source, code: "unavailable", reason, wanted: "update" }];
  });
  return {
    items: items.filter(({ name }) => !needing.has(name) && !left.has(name)),
    refusals: [],
    failed: [...failed, ...stays, ...refusals],
    diagnostics,
  };
}

export function chosenEntries(
  { lock, lockFile }: Pick<HubParts, "lock" | "lockFile">,
  names: readonly string[],
): readonly (readonly [string, LockEntry])[] {
  if (names.length === 0) return [...lock.skills];
  return names.map((name) => {
    const entry = lock.skills.get(name);
    if (entry === undefined) throw notInstalled(name, lockFile, [...lock.skills.keys()]);
    return [name, entry] as const;
  });
}

async function planOne(
  parts: HubParts,
  name: string,
  entry: LockEntry,
  force: boolean,
): Promise<PlanItem | Refusal> {
  try {
    const reading = asOwn(parts, await readNewest(parts, name, entry), {
      isNamed: await isNamedHere(parts, entry),
    });
    if ("problem" in reading)
      return refuseReading({ ...reading, name }, { source: entry.source, verb: "updated" });
    const { source, targets } = entry;
    return await planItem(parts, asInstalled(reading, name), {
      source,
      targets,
      force,
      ...(reading.name !== name && { declaredName: reading.name }),
      isLinked: false,
      action: "update",
    });
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    return {
      name,
      source: entry.source,
      code: "unavailable",
      reason: `${name} cannot be updated: ${error.message}`,
    };
  }
}

// Whoever wrote a project's lock named the folders in it, and whoever wrote an imported file those that came from there.
async function isNamedHere(parts: HubParts, entry: LockEntry): Promise<boolean> {
  if (entry.askedBy === "content") return false;
  return parts.scope.kind === "user" || isAskedHere(parts, entry, { origin: "local" });
}

export async function readNewest(parts: HubParts, name: string, entry: LockEntry): Promise<CandidateReading> {
  const { signal } = parts;
  await checkInside(parts, name, entry);
  const source = parseLockSource(entry.source, parts);
  const opened = await openSource(source, fetchingFor(parts, entry));
  try {
    const pick = "pick" in source ? source.pick : undefined;
    const names = pick === undefined ? [] : [pick];
    const folder = folderOf(source, opened);
    const found = await findOffers(opened, {
      folder,
      names,
      rootName: rootName(source),
      ...(signal && { signal }),
    });
    // Exactly what was locked, where it still is; a skill that moved is found by its name.
    const same = found.offers.filter(
      (offer) => offer.folder === entry.folder && offer.kind === entry.kind && offer.elsewhere === undefined,
    );
    const [offer] =
      same.length === 1
        ? same
        : await pickAgain(parts, name, () =>
            pickOffers<Offer>(found.offers, { folder, names, all: false, source: entry.source }),
          );
    if (offer === undefined) throw goneUpstream(parts, name);
    const installedName = entry.declaredName ?? name;
    return await readOffer(parts, { source, opened, installedName }, offer);
  } finally {
    await opened.close();
  }
}

// What was installed once and is not found any more was renamed or taken away; whoever typed nothing mistyped nothing.
async function pickAgain(
  parts: HubParts,
  name: string,
  pick: () => Promise<readonly Offer[]>,
): Promise<readonly Offer[]> {
  try {
    return await pick();
  } catch (error) {
    if (SkilletError.isInstance(error) && GONE.has(error.code)) throw goneUpstream(parts, name);
    throw error;
  }
}

const GONE: ReadonlySet<string> = new Set(["offer-not-found", "nothing-to-install", "choice-needed"]);

function goneUpstream(parts: HubParts, name: string): SkilletError {
  const remove = scopedCommand(parts, `remove ${name}`);
  const pin = scopedCommand(parts, `pin ${name} --reason TEXT`);
  const message = `the source no longer has it. Remove it with \`${remove}\`, or keep what is installed with \`${pin}\`.`;
  return new SkilletError("gone-upstream", message, { data: { name } });
}

export function asInstalled(candidate: Candidate, name: string): Candidate {
  return candidate.name === name ? candidate : renameCandidate(candidate, name);
}

function pinned(parts: HubParts, name: string, { source, pinned: pin }: LockEntry): Refusal {
  const reason = `${name} is pinned: ${pin?.reason ?? ""}. Take the pin away with \`${scopedCommand(parts, `unpin ${name}`)}\`.`;
  return { name, source, code: "pinned", reason };
}

const MAX_NAMED = 12;

function notInstalled(name: string, lockFile: string, names: readonly string[]): SkilletError {
  const near = suggestNames(name, names);
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : "";
  const known =
    near.length > 0
      ? `did you mean ${near.join(" or ")}?`
      : names.length === 0
        ? "nothing is."
        : `installed are ${names.slice(0, MAX_NAMED).join(", ")}${more}.`;
  return new SkilletError("not-installed", `${name} is not installed by ${lockFile}; ${known}`, {
    data: { name, lock: lockFile },
  });
}

/**
 * What cannot go on without those that were declined, with why: versions that newly need one of them, and what only one
 * of them would have brought along.
 */
export function leftWithDeclined(
  items: readonly PlanItem[],
  declined: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const left = new Map<string, string>();
  const isOut = (name: string): boolean => declined.has(name) || left.has(name);
  const isNewlyOut = (name: string): boolean =>
    isOut(name) && items.some((item) => item.name === name && item.before === undefined);
  for (let size = -1; size !== left.size; ) {
    size = left.size;
    for (const { name, entry, before } of items) {
      if (isOut(name)) continue;
      const needed = entry.requires?.find(isNewlyOut);
      const bringers = before === undefined ? (entry.requiredBy ?? []) : [];
      if (needed !== undefined) left.set(name, `It was left as it is, because it now needs ${needed}.`);
      else if (bringers.length > 0 && bringers.every(isOut))
        left.set(name, `It was not installed, because only ${bringers.join(", ")} would have needed it.`);
    }
  }
  return left;
}
