import { SkilletError } from "@skillet/core";
import type { Candidate } from "../candidate/candidate.ts";
import type { CandidateReading } from "../candidate/candidate-reading.ts";
import { renameCandidate } from "../candidate/rename-candidate.ts";
import { planDependencies } from "../dependency/plan-dependencies.ts";
import { findOffers } from "../discover/find-offers.ts";
import type { Offer } from "../discover/offer.ts";
import { pickOffers } from "../discover/pick-offers.ts";
import { openSource } from "../fetch/open-source.ts";
import type { LockEntry } from "../lock/lock-entry.ts";
import { rootName } from "../source/root-name.ts";
import type { HubParts } from "./hub-parts.ts";
import { parseLockSource } from "./lock-source.ts";
import type { Plan, PlanItem, Refusal } from "./plan.ts";
import { planItem } from "./plan-item.ts";
import { folderOf, readOffer } from "./read-offer.ts";
import { refuseReading } from "./refuse-reading.ts";

/** Which installed skills are brought up to date. */
export interface UpdateRequest {
  /** Empty: all. */
  readonly names: readonly string[];
  readonly force: boolean;
}

/**
 * Fetches the newest version of what is installed, from the recorded source and no other; nothing is placed.
 *
 * One that cannot be reached is reported, and with it nothing is changed: half an update is none.
 */
export async function planUpdate(parts: HubParts, request: UpdateRequest): Promise<Plan> {
  const items: PlanItem[] = [];
  const refusals: Refusal[] = [];
  for (const [name, entry] of chosenEntries(parts, request.names)) {
    if (entry.linked === true) continue;
    if (entry.pinned !== undefined) {
      if (request.names.includes(name)) refusals.push(pinned(name, entry));
      continue;
    }
    const planned = await planOne(parts, name, entry, request.force);
    if ("code" in planned) refusals.push(planned);
    else items.push(planned);
  }
  const dependencies = await planDependencies(parts, { agents: [], agentTargets: "link" }, { items });
  return { ...dependencies, refusals: [...refusals, ...dependencies.refusals] };
}

/** The entries of these names, or all of them; a name that is not installed is an error. */
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
    const reading = await readNewest(parts, entry);
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

/** Reads what the source of an entry holds of it now. */
export async function readNewest(parts: HubParts, entry: LockEntry): Promise<CandidateReading> {
  const { signal } = parts;
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
        : await pickOffers<Offer>(found.offers, { folder, names, all: false, source: entry.source });
    if (offer === undefined)
      return { name: pick ?? "", problem: "its source does not hold it any more", diagnostics: [] };
    return await readOffer(parts, { source, opened }, offer);
  } finally {
    await opened.close();
  }
}

/** The candidate under the name that it is installed by. */
export function asInstalled(candidate: Candidate, name: string): Candidate {
  return candidate.name === name ? candidate : renameCandidate(candidate, name);
}

function pinned(name: string, { source, pinned: pin }: LockEntry): Refusal {
  const reason = `${name} is pinned: ${pin?.reason ?? ""}. Take the pin away with \`skillet unpin ${name}\`.`;
  return { name, source, code: "pinned", reason };
}

function notInstalled(name: string, lockFile: string, names: readonly string[]): SkilletError {
  const known = names.length === 0 ? "nothing is" : `installed are ${names.slice(0, 12).join(", ")}`;
  return new SkilletError("not-installed", `${name} is not installed by ${lockFile}; ${known}.`, {
    data: { name, lock: lockFile },
  });
}
