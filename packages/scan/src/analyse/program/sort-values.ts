import type { Call } from "./call.ts";
import { rearranged } from "./fold-operator.ts";
import { iteratedOf } from "./items-of.ts";
import type { Machine } from "./machine.ts";
import { knownText, listValue, taintsOf, type Value } from "./value.ts";

/** Beyond this nothing is sorted: pieces of a text come in tens. */
const MAX_SORTED = 1_024;
const MAX_KEY_PARTS = 4;

/** `sorted(x, key=f)` and `x.sort((a, b) => …)`: the items in order, where the order is known before the program runs. */
export function sortValues(
  machine: Machine,
  call: Call,
  list: Value,
  by: Value | undefined,
): Value | undefined {
  const items = iteratedOf(list);
  if (items === undefined || items.length > MAX_SORTED) return undefined;
  const isComparator = by?.closure !== undefined && by.closure.definition.parameters.length === 2;
  let isSure = true;
  const compare = isComparator
    ? (left: Value, right: Value): number => {
        const order = machine.call(by, [left, right], call.span).number;
        if (order === undefined) isSure = false;
        return order ?? 0;
      }
    : compareBy((item) => (by === undefined ? item : machine.call(by, [item], call.span)), items);
  const sorted = compare === undefined ? undefined : items.toSorted(compare);
  if (sorted === undefined || !isSure) return undefined;
  // Python's `reverse=True`; JavaScript has no such argument.
  const ordered = call.keywords.has("reverse") ? sorted.reverse() : sorted;
  const isChanged = ordered.some((item, index) => item !== items[index]);
  return listValue(isChanged ? ordered.map(rearrangedDeep) : ordered, taintsOf(list));
}

/** Of pairs of a place and a piece, the pieces count. */
function rearrangedDeep(value: Value): Value {
  const items = value.box?.items;
  return items === undefined ? rearranged(value) : listValue(items.map(rearranged), taintsOf(value));
}

type SortKey = readonly (number | string)[];

function compareBy(
  keyOf: (item: Value) => Value,
  items: readonly Value[],
): ((left: Value, right: Value) => number) | undefined {
  const keys = new Map<Value, SortKey>();
  for (const item of items) {
    const key = sortKey(keyOf(item));
    if (key === undefined) return undefined;
    keys.set(item, key);
  }
  return (left, right) => compareKeys(keys.get(left) ?? [], keys.get(right) ?? []);
}

function sortKey(value: Value): SortKey | undefined {
  const parts = value.box?.items ?? [value];
  const key: (number | string)[] = [];
  for (const part of parts.slice(0, MAX_KEY_PARTS)) {
    const known = part.number ?? knownText(part);
    // What comes after the first difference does not matter, and places differ.
    if (known === undefined) return key.length === 0 ? undefined : key;
    key.push(known);
  }
  return key;
}

function compareKeys(left: SortKey, right: SortKey): number {
  for (const [index, one] of left.entries()) {
    const other = right[index];
    if (other === undefined || one === other) continue;
    if (typeof one === typeof other) return one < other ? -1 : 1;
    return String(one) < String(other) ? -1 : 1;
  }
  return 0;
}
