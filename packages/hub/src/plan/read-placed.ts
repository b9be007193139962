import { join, resolve } from "node:path";
import type { TreeFile } from "@skillet/core";
import { treeDigestOf } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { canonicalPath } from "@skillet/kit/files";
import { type Candidate, type CandidateReading, candidateOfTree } from "../candidate/candidate.ts";
import { findOffers } from "../discover/find-offers.ts";
import type { Offer } from "../discover/offer.ts";
import type { LockEntry } from "../lock/lock-entry.ts";
import { linkDestination, locateTarget } from "../place/locate-target.ts";
import { verifyTarget } from "../place/verify-entry.ts";
import type { FetchContext } from "../sources/fetch-context.ts";
import { openSource } from "../sources/open-source.ts";
import { type Source, sourceOfResolved } from "../sources/source.ts";
import { rootName } from "../sources/source-tail.ts";
import { fetchingFor } from "./check-signatures.ts";
import { parseLockSource } from "./create-entry.ts";
import type { HubParts } from "./hub-parts.ts";
import { asInstalled, chosenEntries, readNewest } from "./plan-update.ts";
import { type OpenedFrom, readOffer } from "./read-offer.ts";

/** The files of an entry as they lie on disk; undefined unless they are exactly what the lock says. */
export async function readPlaced(
  parts: HubParts,
  entry: LockEntry,
): Promise<readonly TreeFile[] | undefined> {
  const { root, outside, fetching, signal } = parts;
  const copy = entry.targets.find(({ how }) => how === "copy");
  const located = copy && locateTarget(copy.path, { root, outside });
  if (copy === undefined || located === undefined || "problem" in located) return undefined;
  const drift = await verifyTarget(copy, entry, { root, outside }, { ...(signal && { signal }) });
  if (drift.length > 0) return undefined;
  const opened = await openSource({ kind: "local", path: located.place }, fetching);
  try {
    const paths = opened.entries.map(({ path }) => path).filter((path) => Object.hasOwn(entry.files, path));
    const files = await opened.read(paths, { ...(signal && { signal }) });
    return treeDigestOf(files) === entry.digest ? files : undefined;
  } finally {
    await opened.close();
  }
}

/** The files of a linked entry as they lie in its folder; undefined unless they are exactly what the lock says. */
export async function readLinked(
  parts: HubParts,
  name: string,
  entry: LockEntry,
): Promise<readonly TreeFile[] | undefined> {
  try {
    const reading = await readNewest(parts, name, entry);
    if ("problem" in reading || reading.resolved.kind !== "local") return undefined;
    const { digest, files, folder } = asInstalled(reading, name);
    // Whoever writes a lock can name one folder as the source and link to another.
    const read = join(resolve(parts.root, reading.resolved.path), ...folder.split("/"));
    const used = linkDestination(entry, { root: parts.root, outside: parts.outside });
    const isUsed = used !== undefined && canonicalPath(used) === canonicalPath(read);
    return isUsed && digest === entry.digest ? files : undefined;
  } catch (error) {
    // What cannot be read is not known to be the same.
    if (SkilletError.isInstance(error)) return undefined;
    throw error;
  }
}

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

/** What is installed, read from what was kept of it; what is neither kept nor as it was installed is left out. */
export async function installedCandidates(
  parts: HubParts,
  names: readonly string[],
): Promise<readonly Candidate[]> {
  const candidates: Candidate[] = [];
  for (const [name, entry] of chosenEntries(parts, names)) {
    const files = (await parts.store.get(entry.digest)) ?? (await readPlaced(parts, entry));
    const { kind, resolved, folder } = entry;
    if (files !== undefined)
      candidates.push(
        candidateOfTree(files, { kind, name, resolved, folder, identity: undefined, isProven: false }),
      );
  }
  return candidates;
}
