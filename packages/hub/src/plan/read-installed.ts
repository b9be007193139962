import { isAbsolute, join, resolve } from "node:path";
import type { TreeFile } from "@skillet/core";
import { treeDigestOf } from "@skillet/kit/digest";
import { onRefusal, SkilletError } from "@skillet/kit/errors";
import { canonicalPath } from "@skillet/kit/files";
import { itemOfTree } from "../inspect/inspect-item.ts";
import { unfit } from "../inspect/read-item.ts";
import { renameItem } from "../inspect/rename-item.ts";
import type { LockEntry } from "../lock/lock-entry.ts";
import { linkDestination, locateTarget } from "../place/locate-target.ts";
import { verifyTarget } from "../place/verify-entry.ts";
import type { OfferedItem, ReadItem, UnfitItem } from "../plan-item.ts";
import { keptSignatures } from "../sources/collect-envelopes.ts";
import { withOpened } from "../sources/open-source.ts";
import { identityOf, sourceOfResolved } from "../sources/source.ts";
import { requireSignatures } from "./check-signatures.ts";
import { chosenEntries, type HubParts, scopedCommand } from "./hub-parts.ts";
import { checkInside, fetchingFor, parseLockSource } from "./lock-source.ts";
import { type OpenedFrom, offersIn, pickFrom, picksOf, readOffer } from "./read-offer.ts";

/** The files of an entry as installed, from the store or from disk; undefined if neither has them any more. */
export async function installedFiles(
  parts: HubParts,
  entry: LockEntry,
): Promise<readonly TreeFile[] | undefined> {
  return (await parts.store.get(entry.digest)) ?? readPlaced(parts, entry);
}

/** The files of an entry on disk; undefined unless they are exactly what the lock says. */
export async function readPlaced(
  parts: HubParts,
  entry: LockEntry,
): Promise<readonly TreeFile[] | undefined> {
  const { signal, fetching } = parts;
  const copy = entry.targets.find(({ how }) => how === "copy");
  const located = copy && locateTarget(copy.path, parts);
  if (copy === undefined || located === undefined || "problem" in located) return undefined;
  if ((await verifyTarget(copy, entry, parts)).length > 0) return undefined;
  return withOpened({ kind: "local", path: located.place }, fetching, async (opened) => {
    const paths = opened.entries.map(({ path }) => path).filter((path) => Object.hasOwn(entry.files, path));
    const files = await opened.read(paths, { signal });
    return treeDigestOf(files) === entry.digest ? files : undefined;
  });
}

/** The files in the folder of a linked entry; undefined unless they are exactly what the lock says. */
export async function readLinked(
  parts: HubParts,
  name: string,
  entry: LockEntry,
): Promise<readonly TreeFile[] | undefined> {
  const reading = readNewest(parts, name, entry).then((item) =>
    item.state === "unfit" ? undefined : asInstalled(item, name),
  );
  // Nothing shows that an unreadable folder is unchanged.
  const found = await onRefusal(reading, () => undefined);
  if (found?.resolved.kind !== "local") return undefined;
  // The author of a lock can name one folder as the source and link to another.
  const read = join(resolve(parts.root, found.resolved.path), ...found.folder.split("/"));
  const used = linkDestination(entry, parts);
  const isUsed = used !== undefined && canonicalPath(used) === canonicalPath(read);
  return isUsed && found.digest === entry.digest ? found.files : undefined;
}

/** A stored version as if read again, with the signatures that were stored with it. */
export async function readKept(
  parts: HubParts,
  name: string,
  kept: Pick<LockEntry, "kind" | "resolved" | "folder" | "source" | "digest"> & {
    readonly files: readonly TreeFile[];
    readonly isProven: boolean;
  },
): Promise<ReadItem | UnfitItem> {
  const { resolved, source, digest } = kept;
  const item = await requireSignatures(
    parts,
    itemOfTree(kept.files, { ...kept, name, identity: identityOf(resolved) }),
    {
      sources: [source],
      findEnvelopes: async () => keptSignatures(parts.home, digest),
    },
  );
  if (item.state === "unfit" || item.signed === undefined) return item;
  return { ...item, signed: { ...item.signed, envelopes: [] } };
}

/** Installed skills as if read again, without those that are neither stored nor unchanged on disk. */
export async function installedItems(
  parts: HubParts,
  names: readonly string[],
): Promise<readonly ReadItem[]> {
  const items: ReadItem[] = [];
  for (const [name, entry] of chosenEntries(parts, names)) {
    const files = await installedFiles(parts, entry);
    if (files !== undefined)
      items.push(itemOfTree(files, { ...entry, name, identity: undefined, isProven: false }));
  }
  return items;
}

export function asInstalled(item: ReadItem, name: string): ReadItem {
  return item.name === name ? item : renameItem(item, name);
}

const GONE: ReadonlySet<string> = new Set(["offer-not-found", "nothing-to-install", "choice-needed"]);

export async function readNewest(
  parts: HubParts,
  name: string,
  entry: LockEntry,
): Promise<ReadItem | UnfitItem> {
  await checkInside(parts, name, entry);
  const source = parseLockSource(entry.source, parts);
  return withOpened(source, fetchingFor(parts, entry), async (opened) => {
    const from = { source, opened, installedName: entry.declaredName ?? name };
    try {
      const names = picksOf(source);
      const { offers } = await offersIn(parts, from, names);
      // The same folder as locked, if it still exists; a skill that moved is found by its name.
      const same = offers.filter(
        ({ folder, kind, elsewhere }) =>
          folder === entry.folder && kind === entry.kind && elsewhere === undefined,
      );
      const [offer] =
        same.length === 1 ? same : await pickFrom(from, offers, { names, source: entry.source });
      if (offer === undefined) throw goneUpstream(parts, name);
      return await readOffer(parts, from, offer);
    } catch (error) {
      // It was installed once, so it was renamed or removed rather than misspelled.
      if (SkilletError.isInstance(error) && GONE.has(error.code)) throw goneUpstream(parts, name);
      throw error;
    }
  });
}

function goneUpstream(parts: HubParts, name: string): SkilletError {
  const remove = scopedCommand(parts, `remove ${name}`);
  const pin = scopedCommand(parts, `pin ${name}`);
  const message = `the source no longer has it. Remove it with \`${remove}\`, or keep what is installed with \`${pin}\`.`;
  return new SkilletError("gone-upstream", message, { data: { name } });
}

/** Reads what a lock pins from its source, under its installed name. */
export async function readPinned(
  parts: HubParts,
  name: string,
  entry: LockEntry,
): Promise<ReadItem | UnfitItem> {
  const resolvePath = (path: string): string => (isAbsolute(path) ? path : join(parts.root, path));
  const source = sourceOfResolved(entry.resolved, resolvePath);
  const asked = parseLockSource(entry.source, parts);
  // If the pin's repository differs from the requested one, a marketplace led there.
  const isAsked = asked.kind === "git" && source.kind === "git" && asked.url === source.url;
  const fetching = isAsked ? fetchingFor(parts, entry) : parts.fetching;
  return withOpened(
    source,
    fetching,
    async (opened) => {
      const from: OpenedFrom = { source, opened, written: [entry.source] };
      let reading: ReadItem | UnfitItem | undefined;
      for (const offer of await pinnedOffers(parts, from, name, entry)) {
        reading = await readOffer(parts, from, offer);
        if (reading.state === "unfit") continue;
        // A manifest without a name gets that of its folder, which need not be written into it again.
        reading = reading.digest === entry.digest ? { ...reading, name } : asInstalled(reading, name);
        if (reading.digest === entry.digest) return reading;
      }
      return reading ?? unfit(name, "its source does not hold it");
    },
    entry.resolved,
  );
}

/**
 * The ways to read it, the simplest first.
 *
 * A marketplace, in the same source or in the requested one, may list the parts of a plugin; the digest shows
 * whether its entry still says the same.
 */
async function pinnedOffers(
  parts: HubParts,
  from: OpenedFrom,
  name: string,
  entry: LockEntry,
): Promise<readonly OfferedItem[]> {
  const { kind, folder } = entry;
  const plain: OfferedItem = {
    state: "offered",
    kind,
    name: entry.declaredName ?? name,
    description: "",
    folder,
    internal: false,
  };
  if (kind === "skill") return [plain];
  const here = await pluginsIn(parts, from, plain.name);
  const source = parseLockSource(entry.source, parts);
  const listed =
    here.length > 0
      ? here
      : await withOpened(source, fetchingFor(parts, entry), (opened) =>
          pluginsIn(parts, { source, opened }, plain.name),
        );
  return [plain, ...listed.map(({ elsewhere: _, pin: __, ...offer }) => ({ ...offer, folder }))];
}

async function pluginsIn(parts: HubParts, from: OpenedFrom, name: string): Promise<readonly OfferedItem[]> {
  const { offers } = await offersIn(parts, from, [`plugin:${name}`], "");
  return offers.filter((offer) => offer.kind === "plugin" && offer.name === name);
}
