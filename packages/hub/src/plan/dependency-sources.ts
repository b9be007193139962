import { SkilletError } from "@skillet/kit/errors";
import type { PlannedItem, ReadItem, UnfitItem } from "../plan-item.ts";
import type { FetchContext } from "../sources/fetch-context.ts";
import { openSource } from "../sources/open-source.ts";
import { parseSource } from "../sources/parse-source.ts";
import { placeOnThisMachine, type Resolved, type Source, showSource } from "../sources/source.ts";
import type { HubParts } from "./hub-parts.ts";
import { fetchingFor, parseLockSource } from "./lock-source.ts";
import {
  asOwn,
  type OpenedFrom,
  offersIn,
  pickedSource,
  pickFrom,
  picksOf,
  readOffer,
  withoutPick,
} from "./read-offer.ts";

export interface DependencySource {
  readonly reading: ReadItem | UnfitItem;
  readonly source: Source;
  /** A person, where the skill that needs it is their own. */
  readonly askedBy: "person" | "content";
}

/** The sources that needs are looked for in, each opened once. */
export class DependencySources {
  readonly #parts: HubParts;
  readonly #lent: OpenedFrom | undefined;
  readonly #opened = new Map<string, OpenedFrom>();

  /** `lent` is open already, and closed by the caller. */
  constructor(parts: HubParts, lent: OpenedFrom | undefined) {
    this.#parts = parts;
    this.#lent = lent;
  }

  /** Looks for a name in the source of the skill that needs it, and for a source where that says; undefined: not there. */
  async find(need: string, by: PlannedItem): Promise<DependencySource | undefined> {
    const isLocal = by.entry.resolved.kind === "local";
    if (isPlainName(need)) {
      const own = parseLockSource(by.entry.source, this.#parts);
      const source = wholeOf(own, by.entry.resolved);
      // A marketplace may have fetched it from elsewhere; then only a person who named the marketplace vouches for its folder.
      const isVouchedFor = isLocal || this.#lent?.askedBy === "person";
      const isNamed = by.unproven !== true && isVouchedFor;
      return this.#pick(await this.#open(source, this.#fetchingOf(source, by)), [need], isNamed);
    }
    const source = parseSource(need, this.#parts);
    if (placeOnThisMachine(source) !== undefined && !this.#isFromHere(by)) {
      const message =
        "a skill from elsewhere asks for it to be read from this machine; install it by itself if it is yours.";
      throw new SkilletError("dependency-refused", message);
    }
    return this.#pick(await this.#open(source, this.#parts.fetching), picksOf(source), isLocal);
  }

  async close(): Promise<void> {
    for (const { opened } of this.#opened.values()) await opened.close();
  }

  async #pick(
    from: OpenedFrom,
    names: readonly string[],
    isNamed: boolean,
  ): Promise<DependencySource | undefined> {
    const { source } = from;
    const { offers } = await offersIn(this.#parts, from, names);
    const picking = pickFrom(from, offers, { names, source: showSource(source) });
    const [offer] = await picking.catch(noneIfNotFound);
    if (offer === undefined) return undefined;
    const reading = asOwn(this.#parts, await readOffer(this.#parts, from, offer), isNamed);
    return { reading, source: pickedSource(source, offer), askedBy: isNamed ? "person" : "content" };
  }

  // By where its bytes came from: a marketplace of this machine may have fetched it from anyone, and a project's lock may name a repository that the project brings.
  #isFromHere({ unproven, entry: { resolved, askedBy } }: PlannedItem): boolean {
    if (resolved.kind === "local") return unproven !== true;
    if (askedBy === "content" || placeOnThisMachine(resolved) === undefined) return false;
    return this.#lent?.askedBy === "person" || this.#parts.scope.kind === "user";
  }

  async #open(source: Source, fetching: FetchContext): Promise<OpenedFrom> {
    const key = keyOf(source);
    if (this.#lent !== undefined && keyOf(this.#lent.source) === key) return this.#lent;
    const from = this.#opened.get(key) ?? { source, opened: await openSource(source, fetching) };
    this.#opened.set(key, from);
    return from;
  }

  // A repository of which a person named a folder was named by them; all else is only wanted by a skill.
  #fetchingOf(source: Source, by: PlannedItem): FetchContext {
    const lent = this.#lent?.askedBy === "person" ? this.#lent.source : undefined;
    const isNamed = source.kind === "git" && lent?.kind === "git" && lent.url === source.url;
    return isNamed ? { ...this.#parts.fetching, askedBy: "person" } : fetchingFor(this.#parts, by.entry);
  }
}

function noneIfNotFound(error: unknown): readonly [] {
  if (SkilletError.isInstance(error) && error.code === "offer-not-found") return [];
  throw error;
}

// The folder that was asked for may be the skill itself; its needs lie beside it.
function wholeOf(source: Source, resolved: Resolved): Source {
  const rest = withoutPick(source);
  if (rest.kind !== "git") return rest;
  const { folder: _, refAndFolder, ...repository } = rest;
  if (refAndFolder === undefined) return repository;
  // The pin knows where the ref of a tree URL ends, unless a marketplace there led elsewhere.
  return resolved.kind === "git" && resolved.url === rest.url
    ? { ...repository, ref: resolved.ref ?? resolved.commit }
    : { ...repository, refAndFolder };
}

function keyOf(source: Source): string {
  return showSource(withoutPick(source));
}

export function isPlainName(need: string): boolean {
  return !/[/:#@~]/.test(need) && !need.startsWith(".");
}
