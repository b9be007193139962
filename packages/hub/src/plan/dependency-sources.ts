import { SkilletError } from "@skillet/kit/errors";
import type { CandidateReading } from "../candidate/candidate.ts";
import { findOffers } from "../discover/find-offers.ts";
import type { Offer } from "../discover/offer.ts";
import { pickOffers } from "../discover/pick-offers.ts";
import type { FetchContext } from "../sources/fetch-context.ts";
import { openSource } from "../sources/open-source.ts";
import { parseSource } from "../sources/parse-source.ts";
import { showSource } from "../sources/show-source.ts";
import type { Resolved, Source } from "../sources/source.ts";
import { rootName } from "../sources/source-tail.ts";
import { fetchingFor } from "./check-signatures.ts";
import { parseLockSource } from "./create-entry.ts";
import type { HubParts } from "./hub-parts.ts";
import type { PlanItem } from "./plan.ts";
import { asOwn, folderOf, type OpenedFrom, pickedSource, readOffer } from "./read-offer.ts";

export interface DependencySource {
  readonly reading: CandidateReading;
  readonly source: Source;
  /** A person, where what needs it is theirs and so speaks for them. */
  readonly askedBy: "person" | "content";
}

export class DependencySources {
  readonly #parts: HubParts;
  readonly #lent: OpenedFrom | undefined;
  readonly #opened = new Map<string, OpenedFrom>();

  /** What is lent is open already, and closed by whoever lends it. */
  constructor(parts: HubParts, lent: OpenedFrom | undefined) {
    this.#parts = parts;
    this.#lent = lent;
  }

  async find(need: string, by: PlanItem): Promise<DependencySource | undefined> {
    const own = parseLockSource(by.entry.source, this.#parts);
    if (isPlainName(need)) {
      const isNamed = by.candidate.unproven !== true && this.#isVouchedFor(by);
      return this.#pick(wholeOf(own, by.entry.resolved), { names: [need], by, isNamed });
    }
    const { workspace, userHome } = this.#parts;
    const source = parseSource(need, { workspace, userHome });
    if (isOfThisMachine(source) && !this.#isFromHere(by)) {
      const message =
        "it would be read from this machine by the word of a skill that is not; install it by itself if it is yours.";
      throw new SkilletError("dependency-refused", message);
    }
    const pick = "pick" in source ? source.pick : undefined;
    const isNamed = by.entry.resolved.kind === "local";
    return this.#pick(source, { names: pick === undefined ? [] : [pick], isNamed });
  }

  async close(): Promise<void> {
    for (const { opened } of this.#opened.values()) await opened.close();
  }

  async #pick(
    source: Source,
    {
      names,
      by,
      isNamed,
    }: { readonly names: readonly string[]; readonly by?: PlanItem; readonly isNamed: boolean },
  ): Promise<DependencySource | undefined> {
    const from = await this.#open(source, by);
    const folder = folderOf(from.source, from.opened);
    const { signal } = this.#parts;
    const found = await findOffers(from.opened, {
      folder,
      names,
      rootName: rootName(source),
      ...(signal && { signal }),
    });
    const offer = await pickOne(found.offers, { folder, names, source: showSource(from.source) });
    if (offer === undefined) return undefined;
    const reading = asOwn(this.#parts, await readOffer(this.#parts, from, offer), { isNamed });
    const askedBy = isNamed ? "person" : "content";
    return { reading, source: pickedSource(from.source, offer), askedBy };
  }

  // By where its bytes came from: a marketplace of this machine may have fetched it from anybody, and a project's lock may name a repository that the project brings.
  #isFromHere({ candidate: { unproven }, entry: { resolved, askedBy } }: PlanItem): boolean {
    if (resolved.kind === "local") return unproven !== true;
    if (askedBy === "content") return false;
    const isHere =
      (resolved.kind === "git" && isOfThisMachine({ kind: "git", url: resolved.url })) ||
      (resolved.kind === "archive" && isOfThisMachine({ kind: "archive", location: resolved.location }));
    return isHere && (this.#lent?.askedBy === "person" || this.#parts.scope.kind === "user");
  }

  // Of what a marketplace fetched from elsewhere, only a person's word makes the marketplace's folder the user's own.
  #isVouchedFor(by: PlanItem): boolean {
    return by.entry.resolved.kind === "local" || this.#lent?.askedBy === "person";
  }

  async #open(source: Source, by: PlanItem | undefined): Promise<OpenedFrom> {
    const key = keyOf(source);
    if (this.#lent !== undefined && keyOf(this.#lent.source) === key) return this.#lent;
    const known = this.#opened.get(key);
    if (known !== undefined) return known;
    const opened = { source, opened: await openSource(source, this.#fetchingOf(source, by)) };
    this.#opened.set(key, opened);
    return opened;
  }

  // A repository that a person named, if only a folder of it, is theirs; whatever else is asked for is a skill's wish.
  #fetchingOf(source: Source, by: PlanItem | undefined): FetchContext {
    const { fetching } = this.#parts;
    if (by === undefined) return fetching;
    const lent = this.#lent?.askedBy === "person" ? this.#lent.source : undefined;
    const isNamed = source.kind === "git" && lent?.kind === "git" && lent.url === source.url;
    return isNamed ? { ...fetching, askedBy: "person" } : fetchingFor(this.#parts, by.entry);
  }
}

async function pickOne(
  offers: readonly Offer[],
  request: { readonly folder: string; readonly names: readonly string[]; readonly source: string },
): Promise<Offer | undefined> {
  try {
    const [offer] = await pickOffers(offers, { ...request, all: false });
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

function isOfThisMachine(source: Source): boolean {
  if (source.kind === "git") return source.url.startsWith("file:");
  return source.kind === "local" || (source.kind === "archive" && source.location.startsWith("/"));
}

export function isPlainName(need: string): boolean {
  return !/[/:#@~]/.test(need) && !need.startsWith(".");
}
