import { wordSet } from "../../word-list.ts";
import { concatValues, foldSlice, joinLists, rearranged } from "./fold-operator.ts";
import { decodeBytes, joinTexts } from "./fold-text.ts";
import type { Call } from "./machine.ts";
import {
  type Box,
  itemAt,
  itemOf,
  itemsOf,
  iteratedOf,
  keyOf,
  keyValue,
  knownText,
  listValue,
  MAX_ITEMS,
  MAX_JOINED_LIST,
  numberValue,
  taintsOf,
  taintsOfAll,
  UNKNOWN,
  unionTaints,
  unknownWith,
  type Value,
} from "./value.ts";

export function foldListMethod(call: Call, property: string): Value | undefined {
  const { receiver, positional } = call;
  const { box } = receiver;
  const [first, second] = positional;
  if (box === undefined) return undefined;
  if (ADDING.has(property)) return addTo(box, property, positional);
  switch (property) {
    case "join":
      return joinTexts(receiver, first ?? { text: ",", taints: [] });
    case "slice":
      return foldSlice(receiver, [first, second]);
    case "concat":
      return concatValues([receiver, ...positional], "plus");
    case "map":
    case "forEach":
      return first === undefined ? UNKNOWN : mapItems(call, first, receiver);
    case "filter":
      return first && filterItems(call, first, receiver);
    case "reduce":
      return first && reduceItems(call, first, receiver, second);
    case "sort":
    case "toSorted": {
      const sorted = sortItems(call, receiver, call.keywords.get("key") ?? first);
      if (property === "toSorted" || box.items === undefined) return sorted ?? receiver;
      if (sorted?.box?.items === undefined) box.isLoose = true;
      else box.items = sorted.box.items;
      return receiver;
    }
    case "decode":
      return decodeBytes(call.of(receiver));
    case "get":
    case "setdefault": {
      const key = first === undefined ? undefined : knownText(first);
      const field = key === undefined ? undefined : box.fields?.get(key);
      return field ?? unknownWith(taintsOfAll(second === undefined ? [receiver] : [receiver, second]));
    }
    case "keys":
    case "values":
    case "items":
    case "entries":
      if (box.fields !== undefined) return fieldsOf(receiver, property);
      if (property === "keys") return undefined;
      return property === "values" ? receiver : numberedItems(receiver);
    case "copy":
    case "difference":
    case "intersection":
      return receiver;
    default:
      if (box.items === undefined) return undefined;
      return unordered(call, property, box.items) ?? pickFrom(receiver, box.items, property, first);
  }
}

const ADDING: ReadonlySet<string> = wordSet(
  "append appendleft push extend extendleft add insert unshift update",
);

function addTo(box: Box, property: string, values: readonly Value[]): Value {
  const [first] = values;
  box.taints = unionTaints(box.taints, taintsOfAll(values));
  if (property === "update") for (const [key, value] of first?.box?.fields ?? []) box.fields?.set(key, value);
  if (box.items === undefined) return UNKNOWN;
  const list = EXTENDING.has(property) ? first && listOf(first) : listValue(values);
  const isInPlace = property !== "insert" && property !== "unshift" && !property.endsWith("left");
  if (list?.box?.items === undefined || list.box.isLoose || !isInPlace || box.items.length > MAX_ITEMS)
    box.isLoose = true;
  if (box.items.length < MAX_JOINED_LIST) box.items.push(...(list?.box?.items ?? []).slice(0, MAX_ITEMS));
  return UNKNOWN;
}

const EXTENDING: ReadonlySet<string> = wordSet("extend extendleft update");

export function listOf(value: Value): Value | undefined {
  const items = iteratedOf(value);
  return items === undefined ? value.box?.items && joinLists([value]) : listValue(items, taintsOf(value));
}

function pickFrom(
  list: Value,
  items: Value[],
  property: string,
  given: Value | undefined,
): Value | undefined {
  if (property === "toReversed" || property === "reverse") {
    const turned = items.toReversed().map(rearranged);
    if (property === "reverse") items.splice(0, items.length, ...turned);
    return property === "reverse" ? list : listValue(turned);
  }
  // Obfuscated string tables rotate themselves with `push(shift())`.
  if (property === "shift") return items.shift() ?? UNKNOWN;
  if (property === "pop")
    return (given === undefined ? items.pop() : undefined) ?? unknownWith(list.box?.taints ?? []);
  if (given === undefined || list.box?.isLoose === true) return undefined;
  if (property === "index" || property === "indexOf") {
    const wanted = keyOf(given);
    const place = wanted === undefined ? -1 : items.findIndex((item) => keyOf(item) === wanted);
    return place === -1 ? undefined : numberValue(place);
  }
  if (property === "fill") return listValue(items.map(() => given));
  return property === "at" && given.number !== undefined ? itemAt(list, given.number) : undefined;
}

function unordered(call: Call, property: string, items: readonly Value[]): Value | undefined {
  const { receiver, positional } = call;
  if (property === "flat") return joinLists(items);
  if (property === "flatMap") return joinLists(mapItems(call, call.at(0), receiver).box?.items ?? []);
  if (property === "union") return joinLists([receiver, ...positional.map((list) => listOf(list) ?? list)]);
  return receiver.box?.isLoose === true && PICKING.has(property) ? itemOf(receiver) : undefined;
}

const PICKING: ReadonlySet<string> = wordSet("pop shift popleft at find");

export function fieldsOf(value: Value, what: string): Value | undefined {
  const { box } = value;
  if (box?.fields === undefined) return undefined;
  const fields = [...box.fields];
  if (what === "keys") return listValue(fields.map(([key]) => ({ text: key, taints: [] })));
  if (what === "values") return listValue([...box.fields.values()], box.taints);
  return listValue(
    fields.map(([key, field]) => listValue([keyValue(key, []), field])),
    box.taints,
  );
}

export function numberedItems(list: Value): Value | undefined {
  const items = itemsOf(list);
  return items && listValue(items.map((item, index) => listValue([numberValue(index), item])));
}

export function mapItems(call: Call, callback: Value, list: Value): Value {
  const items = itemsOf(list);
  const isPython = call.machine.language === "python";
  const results = (items?.slice(0, MAX_ITEMS) ?? [itemOf(list)]).map((item, index) =>
    call.invoke(callback, isPython ? [item] : [item, numberValue(index), list]),
  );
  const taints = items !== undefined && isPython ? [] : taintsOf(list);
  return listValue(results, taints, items === undefined);
}

/** The items for which a function returns true; all of them if its result is not known. */
export function filterItems(call: Call, callback: Value, list: Value): Value {
  const items = itemsOf(list);
  if (items === undefined || items.length > MAX_ITEMS) {
    call.invoke(callback, [itemOf(list)]);
    return list;
  }
  const kept = items.filter((item, index) => call.invoke(callback, [item, numberValue(index)]).number !== 0);
  return kept.length === items.length ? list : listValue(kept, taintsOf(list));
}

export function reduceItems(
  call: Call,
  callback: Value,
  list: Value,
  start: Value | undefined,
): Value | undefined {
  const items = itemsOf(list);
  if (items === undefined || items.length > MAX_ITEMS) return undefined;
  let result = start ?? items[0] ?? UNKNOWN;
  for (const [index, item] of items.entries())
    if (start !== undefined || index > 0)
      result = call.invoke(callback, [result, item, numberValue(index), list]);
  return result;
}

/** Longer lists are not sorted: a text is split into tens of pieces. */
const MAX_SORTED = 1_024;

/** `sorted(x, key=f)` and `x.sort((a, b) => …)`: the sorted items, if the order is known before the program runs. */
export function sortItems(call: Call, list: Value, by: Value | undefined): Value | undefined {
  const items = iteratedOf(list);
  if (items === undefined || items.length > MAX_SORTED) return undefined;
  let isSure = true;
  const compare = (left: Value, right: Value): number => {
    const order = call.invoke(by ?? UNKNOWN, [left, right]).number;
    isSure &&= order !== undefined;
    return order ?? 0;
  };
  const keys = new Map<Value, number | string>();
  const isComparator = by?.closure?.definition.parameters.length === 2;
  for (const item of isComparator ? [] : items) {
    const key = sortKey(by === undefined ? item : call.invoke(by, [item]));
    if (key === undefined) return undefined;
    keys.set(item, key);
  }
  const sorted = items.toSorted(
    isComparator ? compare : (left, right) => compareKeys(keys.get(left) ?? "", keys.get(right) ?? ""),
  );
  if (!isSure) return undefined;
  // Python's `reverse=True`; JavaScript has no such argument.
  const ordered = call.keywords.has("reverse") ? sorted.reverse() : sorted;
  const isChanged = ordered.some((item, index) => item !== items[index]);
  return listValue(isChanged ? ordered.map(rearrangedDeep) : ordered, taintsOf(list));
}

/** In pairs of an index and a piece, the unique index decides. */
function sortKey(value: Value): number | string | undefined {
  const first = value.box?.items?.[0] ?? value;
  return first.number ?? knownText(first);
}

function compareKeys(left: number | string, right: number | string): number {
  const [one, other] = typeof left === typeof right ? [left, right] : [String(left), String(right)];
  return one < other ? -1 : one > other ? 1 : 0;
}

function rearrangedDeep(value: Value): Value {
  const items = value.box?.items;
  return items === undefined ? rearranged(value) : listValue(items.map(rearranged), taintsOf(value));
}
