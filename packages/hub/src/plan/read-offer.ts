import { dirname, join } from "node:path";
import { type FoundOffers, findOffers } from "../discover/find-offers.ts";
import { type PickRequest, pickOffers } from "../discover/pick-offers.ts";
import { readItem, unfit } from "../inspect/read-item.ts";
import type { OfferedItem, ReadItem, RefusedItem, UnfitItem } from "../plan-item.ts";
import { NO_ENVELOPES } from "../sources/collect-envelopes.ts";
import type { OpenedSource } from "../sources/fetch-context.ts";
import { withOpened } from "../sources/open-source.ts";
import { rootName, type Source, showSource } from "../sources/source.ts";
import { isPick } from "../sources/source-text.ts";
import { requireSignatures } from "./check-signatures.ts";
import type { HubParts } from "./hub-parts.ts";

export interface OpenedFrom {
  readonly source: Source;
  readonly opened: OpenedSource;
  /** Set if the user named the source; marketplaces and requirements of skills are content. */
  readonly askedBy?: "person";
  /** Other spellings of the source, for rules about sources. */
  readonly written?: readonly string[];
  readonly installedName?: string | undefined;
}

/** Finds the offers with these names, below the requested folder or the given one. */
export function offersIn(
  { signal }: Pick<HubParts, "signal">,
  { source, opened }: OpenedFrom,
  names: readonly string[],
  folder: string = folderOf(source, opened),
): Promise<FoundOffers> {
  return findOffers(opened, { folder, names, rootName: rootName(source), signal });
}

export function pickFrom(
  { source, opened }: OpenedFrom,
  offers: readonly OfferedItem[],
  wanted: Pick<PickRequest, "names" | "source"> & Partial<PickRequest>,
): Promise<readonly OfferedItem[]> {
  return pickOffers(offers, { folder: folderOf(source, opened), all: false, ...wanted });
}

/** The requested folder of a source; that of a tree URL is known only once the remote's refs are. */
function folderOf(source: Source, opened: OpenedSource): string {
  return opened.folder ?? (source.kind === "git" ? (source.folder ?? "") : "");
}

export function picksOf(source: Source): readonly string[] {
  return "pick" in source && source.pick !== undefined ? [source.pick] : [];
}

export function withoutPick(source: Source): Source {
  if (!("pick" in source)) return source;
  const { pick: _, ...rest } = source;
  return rest;
}

/** Reads an offer, also from elsewhere if a marketplace says so, and checks its signatures. */
export async function readOffer(
  parts: HubParts,
  from: OpenedFrom,
  offer: OfferedItem,
): Promise<ReadItem | UnfitItem> {
  parts.onStep({ step: "validate", what: offer.name });
  const { elsewhere, pin } = offer;
  const { source, written = [] } = from;
  if (elsewhere === undefined) return readSigned(parts, offer, from, rootName(source));
  return withOpened(elsewhere, parts.fetching, async (opened) => {
    if (pin !== undefined && (!("digest" in opened.resolved) || opened.resolved.digest !== pin))
      return unfit(offer.name, "it is not what the marketplace pins");
    const other = { ...from, source: elsewhere, opened, written: [...written, showSource(source)] };
    return readSigned(parts, { ...offer, folder: folderOf(elsewhere, opened) }, other, offer.name);
  });
}

async function readSigned(
  parts: HubParts,
  offer: OfferedItem,
  { source, opened, written = [], installedName }: OpenedFrom,
  name: string,
): Promise<ReadItem | UnfitItem> {
  const { fetching, signal } = parts;
  const item = await readItem(opened, offer, { limits: fetching.limits, rootName: name, signal });
  if (item.state === "unfit") return item;
  return requireSignatures(parts, item, {
    installedName,
    sources: [...written, showSource(source)],
    findEnvelopes: async () => (await opened.signaturesOf?.(offer.folder)) ?? NO_ENVELOPES,
  });
}

export function refuseReading(
  { name, problem, code }: UnfitItem,
  source: string,
  verb: "installed" | "updated" = "installed",
): RefusedItem {
  const reason = `${name} cannot be ${verb}: ${problem.replace(/[.]$/, "")}.`;
  return { state: "refused", name, source, code, reason };
}

/**
 * A local folder is the user's own only if they named it themselves, and if no part of it is in an untrusted
 * repository. Otherwise its origin is `community`.
 */
export function asOwn(
  { untrustedAround }: Pick<HubParts, "untrustedAround">,
  reading: ReadItem | UnfitItem,
  isNamed: boolean,
): ReadItem | UnfitItem {
  if (reading.state === "unfit" || reading.resolved.kind !== "local") return reading;
  const { path } = reading.resolved;
  // Naming a parent folder does not name a clone in it, and a clone may be inside a skill as well.
  const folders = new Set(reading.files.map((file) => dirname(join(path, reading.folder, file.path))));
  const untrusted = [path, ...folders]
    .map((place) => untrustedAround(place))
    .find((root) => root !== undefined);
  if (untrusted !== undefined) return { ...reading, unproven: true, untrusted };
  return isNamed ? reading : { ...reading, unproven: true };
}

/** Updates must find the same item again: by its name or, if the name cannot be a pick (spaces), by its folder. */
export function pickedSource(source: Source, { name, kind, folder }: OfferedItem): Source {
  if (source.kind === "skill-file") return source;
  const names = [kind === "plugin" ? `plugin:${name}` : name, folder.slice(folder.lastIndexOf("/") + 1)];
  const pick = names.find(isPick);
  if (pick !== undefined) return { ...source, pick };
  const rest = withoutPick(source);
  return rest.kind === "git" && rest.refAndFolder === undefined && folder !== "" ? { ...rest, folder } : rest;
}
