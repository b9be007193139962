import { compareByteOrder } from "@skillet/kit/order";
import type { PlannedItem, RefusedItem } from "../plan-item.ts";
import { findLookAlike } from "./plan-reading.ts";

/**
 * Takes an item into a list whose items were planned each by itself, so that none of them knows of the others. Two may
 * need the same third; one that is listed itself is wanted for itself.
 */
export function mergePlanned(
  items: ReadonlyMap<string, PlannedItem>,
  item: PlannedItem,
  { place, wayOut }: { readonly place: string; readonly wayOut: string },
): PlannedItem | RefusedItem {
  const { name, entry } = item;
  const refuse = (reason: string): RefusedItem => ({
    ...{ state: "refused", name, source: entry.source, digest: entry.digest, code: "name-taken" },
    reason: `${reason}; ${wayOut}.`,
  });
  const known = items.get(name);
  if (known === undefined) {
    const twin = findLookAlike(name, items.keys());
    return twin === undefined
      ? item
      : refuse(`${name} is easily taken for ${twin}, which ${place} brings as well`);
  }
  if (known.entry.digest !== entry.digest) {
    const sources = `${known.entry.source} and ${entry.source}`;
    return refuse(`${name} is the name of two different skills in ${place}, from ${sources}`);
  }
  const [earlier, later] = [known.entry.requiredBy, entry.requiredBy];
  if (earlier === undefined) return known;
  if (later === undefined) return item;
  const requiredBy = [...new Set([...earlier, ...later])].sort(compareByteOrder);
  return { ...known, entry: { ...known.entry, requiredBy } };
}
