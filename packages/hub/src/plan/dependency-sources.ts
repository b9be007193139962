import { SkilletError } from "@skillet/kit/errors";
import type { CandidateReading } from "../candidate/candidate.ts";
import type { Offer } from "../discover/find-offers.ts";
import { pickOffers } from "../discover/pick-offers.ts";
import type { FetchContext } from "../sources/fetch-context.ts";
import { openSource } from "../sources/open-source.ts";
import { parseSource } from "../sources/parse-source.ts";
import type { Resolved, Source } from "../sources/source.ts";
import { showSource } from "../sources/source-tail.ts";
import type { HubParts } from "./hub-parts.ts";
import { fetchingFor, parseLockSource } from "./lock-source.ts";
import type { PlanItem } from "./plan.ts";
import {
  asOwn,
  folderOf,
  type OpenedFrom,
  offersIn,
  pickedSource,
  picksOf,
  readOffer,
} from "./read-offer.ts";

export interface DependencySource {
  readonly reading: CandidateReading;
  readonly source: Source;
  /** A person, where what needs it is theirs and so speaks for them. */
  readonly askedBy: "person" | "content";
}

/** The sources that needs are looked for in, each opened once. */
export class DependencySources {
  readonly #parts: HubParts;
  readonly #lent: OpenedFrom | undefined;
  readonly #opened = new Map<string, OpenedFrom>();

  /** What is lent is open already, and closed by whoever lends it. */
  constructor(parts: HubParts, lent: OpenedFrom | undefined) {
    this.#parts = parts;
    this.#lent = lent;
  }

  /** Looks for a name where the skill that needs it comes from, for a source where that says; undefined: not there. */
  async find(need: string, by: PlanItem): Promise<DependencySource | undefined> {
    if (isPlainName(need)) {
      const own = parseLockSource(by.entry.source, this.#parts);
      const source = wholeOf(own, by.entry.resolved);
      const isNamed = by.candidate.unproven !== true && this.#isVouchedFor(by);
      return this.#pick(await this.#open(source, this.#fetchingOf(source, by)), [need], isNamed);
    }
    const source = parseSource(need, this.#parts);
    if (isOfThisMachine(source) && !this.#isFromHere(by)) {
      const message =
        "it would be read from this machine by the word of a skill that is not; install it by itself if it is yours.";
      throw new SkilletError("dependency-refused", message);
    }
    const from = await this.#open(source, this.#parts.fetching);
    return this.#pick(from, picksOf(source), by.entry.resolved.kind === "local");
  }

  async close(): Promise<void> {
    for (const { opened } of this.#opened.values()) await opened.close();
  }

  async #pick(
    from: OpenedFrom,
    names: readonly string[],
    isNamed: boolean,
  ): Promise<DependencySource | undefined> {
    const { source, opened } = from;
    const { offers } = await offersIn(this.#parts, from, names);
    const wanted = { folder: folderOf(source, opened), names, all: false, source: showSource(source) };
    const offer = await pickOne(offers, wanted);
    if (offer === undefined) return undefined;
    const reading = asOwn(this.#parts, await readOffer(this.#parts, from, offer), isNamed);
    return { reading, source: pickedSource(source, offer), askedBy: isNamed ? "person" : "content" };
  }

  // By where its bytes came from: a marketplace of this machine may have fetched it from anyone, and a project's lock may name a repository that the project brings.
  #isFromHere({ candidate: { unproven }, entry: { resolved, askedBy } }: PlanItem): boolean {
    if (resolved.kind === "local") return unproven !== true;
    if (askedBy === "content" || !isOfThisMachine(resolved)) return false;
    return this.#lent?.askedBy === "person" || this.#parts.scope.kind === "user";
  }

  // Of what a marketplace fetched from elsewhere, only a person's word makes the marketplace's folder the user's own.
  #isVouchedFor(by: PlanItem): boolean {
    return by.entry.resolved.kind === "local" || this.#lent?.askedBy === "person";
  }

  async #open(source: Source, fetching: FetchContext): Promise<OpenedFrom> {
    const key = keyOf(source);
    if (this.#lent !== undefined && keyOf(this.#lent.source) === key) return this.#lent;
    const from = this.#opened.get(key) ?? { source, opened: await openSource(source, fetching) };
    this.#opened.set(key, from);
    return from;
  }

  // A repository that a person named, if only a folder of it, is theirs; whatever else is asked for is a skill's wish.
  #fetchingOf(source: Source, by: PlanItem): FetchContext {
    const lent = this.#lent?.askedBy === "person" ? this.#lent.source : undefined;
    const isNamed = source.kind === "git" && lent?.kind === "git" && lent.url === source.url;
    return isNamed ? { ...this.#parts.fetching, askedBy: "person" } : fetchingFor(this.#parts, by.entry);
  }
}

async function pickOne(
  offers: readonly Offer[],
  wanted: Parameters<typeof pickOffers<Offer>>[1],
): Promise<Offer | undefined> {
  try {
    const [offer] = await pickOffers(offers, wanted);
    return offer;
  } catch (error) {
    if (SkilletError.isInstance(error) && error.code === "offer-not-found") return undefined;
    throw error;
  }
}

// The folder that was asked for may be the skill itself; what it needs lies beside it.
function wholeOf(source: Source, resolved: Resolved): Source {
  if (source.kind === "skill-file") return source;
  const { pick: _, ...rest } = source;
  if (rest.kind !== "git") return rest;
  const { folder: __, refAndFolder, ...repository } = rest;
  if (refAndFolder === undefined) return repository;
  // Where the ref of a tree URL ends, the pin knows, unless a marketplace there led elsewhere.
  return resolved.kind === "git" && resolved.url === rest.url
    ? { ...repository, ref: resolved.ref ?? resolved.commit }
    : { ...repository, refAndFolder };
}

function keyOf(source: Source): string {
  const { pick: _, ...rest } = source.kind === "skill-file" ? { ...source, pick: undefined } : source;
  return showSource(rest);
}

function isOfThisMachine(place: Source | Resolved): boolean {
  if (place.kind === "git") return place.url.startsWith("file:");
  return place.kind === "local" || (place.kind === "archive" && place.location.startsWith("/"));
}

/** Whether what a skill needs is written as a name, and not as a source. */
export function isPlainName(need: string): boolean {
  return !/[/:#@~]/.test(need) && !need.startsWith(".");
}
