import { compareByteOrder } from "@skillet/kit/order";

/**
 * The most relevant, in order; of those that are equally so, the first by key, whatever order they came in.
 *
 * Of a library of copies thousands may be equal at the end of the list, so they are gone through once and not sorted.
 */
export function takeBest<Item extends { readonly relevance: number }>(
  items: readonly Item[],
  count: number,
  keyOf: (item: Item) => string,
): readonly Item[] {
  const compare = (left: Item, right: Item): number =>
    right.relevance - left.relevance || compareByteOrder(keyOf(left), keyOf(right));
  if (items.length <= count) return items.toSorted(compare);
  const least = items.toSorted((left, right) => right.relevance - left.relevance)[count - 1]?.relevance ?? 0;
  const above = items.filter(({ relevance }) => relevance > least).sort(compare);
  const equal: Item[] = [];
  for (const item of items)
    if (item.relevance === least) insert(equal, item, { count: count - above.length, compare });
  return [...above, ...equal];
}

function insert<Item>(
  kept: Item[],
  item: Item,
  { count, compare }: { readonly count: number; readonly compare: (left: Item, right: Item) => number },
): void {
  const last = kept.at(-1);
  if (kept.length >= count && last !== undefined && compare(last, item) <= 0) return;
  const place = kept.findIndex((one) => compare(item, one) < 0);
  kept.splice(place < 0 ? kept.length : place, 0, item);
  if (kept.length > count) kept.pop();
}
