import type { Candidate } from "../candidate/candidate.ts";
import type { CandidateReading } from "../candidate/candidate-reading.ts";
import { findOffers } from "../discover/find-offers.ts";
import type { Offer } from "../discover/offer.ts";
import type { FetchContext } from "../fetch/fetch-context.ts";
import { openSource } from "../fetch/open-source.ts";
import type { LockEntry } from "../lock/lock-entry.ts";
import { rootName } from "../source/root-name.ts";
import type { Source } from "../source/source.ts";
import { sourceOfResolved } from "../source/source-of-resolved.ts";
import { fetchingFor } from "./fetching-for.ts";
import type { HubParts } from "./hub-parts.ts";
import { parseLockSource } from "./lock-source.ts";
import { asInstalled } from "./plan-update.ts";
import { type OpenedFrom, readOffer } from "./read-offer.ts";

/** Reads what a lock pins from its source, under the name that it is installed by. */
export async function readPinned(
  parts: HubParts,
  locked: {
    readonly name: string;
    readonly entry: LockEntry;
    readonly resolvePath: (path: string) => string;
  },
): Promise<CandidateReading> {
  const { name, entry } = locked;
  const source = sourceOfResolved(entry.resolved, locked.resolvePath);
  const opened = await openSource(source, fetchingOf(parts, { source, entry }), entry.resolved);
  const from: OpenedFrom = { source, opened, written: [entry.source] };
  try {
    let reading: CandidateReading | undefined;
    for (const offer of await offersOf(parts, from, locked)) {
      reading = await readOffer(parts, from, offer);
      if (!("problem" in reading)) reading = asLocked(reading, name, entry);
      if (!("problem" in reading) && reading.digest === entry.digest) return reading;
    }
    return reading ?? { name, problem: "its source does not hold it", diagnostics: [] };
  } finally {
    await opened.close();
  }
}

// What lies elsewhere than what was asked for is where a marketplace said.
function fetchingOf(
  parts: HubParts,
  { source, entry }: { readonly source: Source; readonly entry: LockEntry },
): FetchContext {
  const asked = parseLockSource(entry.source, parts);
  const isAsked = asked.kind === "git" && source.kind === "git" && asked.url === source.url;
  return isAsked ? fetchingFor(parts, entry) : parts.fetching;
}

// A manifest that lacks a name takes that of its place, which need not be written into it again.
function asLocked(candidate: Candidate, name: string, { digest }: LockEntry): Candidate {
  return candidate.digest === digest ? { ...candidate, name } : asInstalled(candidate, name);
}

/**
 * The ways to read it, plainest first.
 *
 * What a plugin consists of may be said by the entry of a marketplace, which lies in the same source or in the one that
 * was asked for; the digest tells whether it still says the same.
 */
async function offersOf(
  parts: HubParts,
  from: OpenedFrom,
  { name, entry }: { readonly name: string; readonly entry: LockEntry },
): Promise<readonly Offer[]> {
  const { kind, folder } = entry;
  const plain: Offer = { kind, name: entry.declaredName ?? name, description: "", folder, internal: false };
  if (kind === "skill") return [plain];
  const here = await pluginsIn(parts, from, plain.name);
  const asked = parseLockSource(entry.source, parts);
  const listed =
    here.length > 0
      ? here
      : await pluginsOf({ ...parts, fetching: fetchingFor(parts, entry) }, asked, plain.name);
  return [plain, ...listed.map(({ elsewhere: _, pin: __, ...offer }) => ({ ...offer, folder }))];
}

async function pluginsOf(parts: HubParts, source: Source, name: string): Promise<readonly Offer[]> {
  const opened = await openSource(source, parts.fetching);
  try {
    return await pluginsIn(parts, { source, opened }, name);
  } finally {
    await opened.close();
  }
}

async function pluginsIn(
  { signal }: HubParts,
  { source, opened }: OpenedFrom,
  name: string,
): Promise<readonly Offer[]> {
  const { offers } = await findOffers(opened, {
    folder: "",
    names: [`plugin:${name}`],
    rootName: rootName(source),
    ...(signal && { signal }),
  });
  return offers.filter((offer) => offer.kind === "plugin" && offer.name === name);
}
