import { itemOf, itemsOf, MAX_ITEMS } from "./items-of.ts";
import type { Machine } from "./machine.ts";
import type { Span } from "./program-tree.ts";
import { listValue, taintsOf, UNKNOWN, type Value } from "./value.ts";

/** The items of which a function says yes; all of them where it is not known what it says. */
export function filterItems(machine: Machine, span: Span, callback: Value, list: Value): Value {
  const items = itemsOf(list);
  if (items === undefined || items.length > MAX_ITEMS) {
    machine.call(callback, [itemOf(list)], span);
    return list;
  }
  const kept = items.filter(
    (item, index) => machine.call(callback, [item, { number: index, taints: [] }], span).number !== 0,
  );
  return kept.length === items.length ? list : listValue(kept, taintsOf(list));
}

/** Folds a list into one value, round by round. */
export function reduceItems(
  machine: Machine,
  span: Span,
  callback: Value,
  list: Value,
  start: Value | undefined,
): Value | undefined {
  const items = itemsOf(list);
  if (items === undefined || items.length > MAX_ITEMS) return undefined;
  let result = start ?? items[0] ?? UNKNOWN;
  for (const [index, item] of items.entries()) {
    if (start === undefined && index === 0) continue;
    result = machine.call(callback, [result, item, { number: index, taints: [] }, list], span);
  }
  return result;
}
