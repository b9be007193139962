import { wordSet } from "../../word-list.ts";
import {
  type Call,
  itemAt,
  itemOf,
  itemsOf,
  iteratedOf,
  keyValue,
  MAX_ITEMS,
  MAX_JOINED_LIST,
} from "./call.ts";
import { decodeUtf8 } from "./decode-constant.ts";
import { joinTexts } from "./fold-method.ts";
import { concatValues, foldSlice, rearranged } from "./fold-operator.ts";
import type { Machine } from "./machine.ts";
import type { Span } from "./program-tree.ts";
import {
  type Box,
  knownText,
  listValue,
  type Taint,
  taintsOf,
  taintsOfAll,
  textValue,
  UNKNOWN,
  unionTaints,
  unknownWith,
  type Value,
} from "./value.ts";

const MAX_MAPPED = 4_096;

export function foldListMethod(machine: Machine, call: Call, property: string): Value | undefined {
  const { receiver } = call;
  const { box } = receiver;
  if (box === undefined) return undefined;
  const [first, second] = call.positional;
  const changed = changeList(box, property, call.positional);
  if (changed !== undefined) return changed;
  switch (property) {
    case "join":
      return joinTexts(receiver, first ?? { text: ",", taints: [] });
    case "slice":
      return foldSlice(receiver, [first, second]);
    case "concat":
      return concatValues([receiver, ...call.positional], "plus");
    case "map":
    case "forEach":
    case "flatMap":
      return mapItems(machine, call);
    case "filter":
      return first === undefined ? undefined : filterItems(machine, call.span, first, receiver);
    case "reduce":
      return first === undefined ? undefined : reduceItems(machine, call.span, first, receiver, second);
    case "sort":
    case "toSorted":
      return sortList(machine, call, property);
    case "decode":
      return decodeBytes({ ...call, positional: [receiver] });
    case "get":
    case "setdefault": {
      const key = first === undefined ? undefined : knownText(first);
      const field = key === undefined ? undefined : box.fields?.get(key);
      return (
        field ??
        unknownWith(unionTaints(taintsOf(receiver), ...(second === undefined ? [] : [taintsOf(second)])))
      );
    }
    case "values":
      return box.fields === undefined ? receiver : listValue([...box.fields.values()], box.taints);
    case "items":
    case "entries":
      return box.fields === undefined
        ? numberedItems(receiver)
        : listValue(
            [...box.fields].map(([key, value]) => listValue([keyValue(key, []), value])),
            box.taints,
          );
    case "keys":
      return box.fields === undefined
        ? undefined
        : listValue([...box.fields.keys()].map((key) => ({ text: key, taints: [] })));
    case "copy":
      return receiver;
    default:
      return box.items === undefined ? undefined : pickFrom(receiver, box.items, property, first);
  }
}

function pickFrom(
  list: Value,
  items: readonly Value[],
  property: string,
  given: Value | undefined,
): Value | undefined {
  if (property === "toReversed") return listValue(items.toReversed().map(rearranged));
  if (given === undefined || list.box?.isLoose === true) return undefined;
  if (property === "index" || property === "indexOf") return placeOf(items, given);
  if (property === "fill") return listValue(items.map(() => given));
  if (property === "at" && given.number !== undefined) return itemAt(list, given.number);
  return undefined;
}

function changeList(box: Box, property: string, values: readonly Value[]): Value | undefined {
  const [first] = values;
  if (ADDING.has(property)) {
    box.taints = unionTaints(box.taints, taintsOfAll(values));
    if (property === "update")
      for (const [key, value] of first?.box?.fields ?? []) box.fields?.set(key, value);
    if (box.items === undefined) return UNKNOWN;
    const added = property === "extend" ? itemsOf(first ?? UNKNOWN) : values;
    if (
      added === undefined ||
      property === "insert" ||
      property === "unshift" ||
      box.items.length > MAX_MAPPED
    )
      box.isLoose = true;
    else if (box.items.length < MAX_JOINED_LIST) box.items.push(...added.slice(0, MAX_MAPPED));
    return UNKNOWN;
  }
  if (box.items === undefined) return undefined;
  if (property === "reverse") {
    box.items = box.items.toReversed().map(rearranged);
    return { box, taints: [] };
  }
  // Obfuscated tables of strings turn themselves with `push(shift())`.
  if (property === "shift") return box.items.shift() ?? UNKNOWN;
  if (property === "pop")
    return (first === undefined ? box.items.pop() : undefined) ?? unknownWith(box.taints);
  return undefined;
}

const ADDING: ReadonlySet<string> = wordSet("append push extend add insert unshift update");

function sortList(machine: Machine, call: Call, property: string): Value | undefined {
  const { box } = call.receiver;
  const by = call.keywords.get("key") ?? call.positional[0];
  const sorted = sortValues(machine, call, call.receiver, by);
  if (property === "toSorted" || box?.items === undefined) return sorted;
  if (sorted?.box?.items === undefined) box.isLoose = true;
  else box.items = sorted.box.items;
  return call.receiver;
}

function placeOf(items: readonly Value[], wanted: Value): Value | undefined {
  const text = knownText(wanted);
  const place = items.findIndex((item) =>
    wanted.number === undefined ? text !== undefined && item.text === text : item.number === wanted.number,
  );
  return place === -1 ? undefined : { number: place, taints: [] };
}

function numberedItems(list: Value): Value | undefined {
  const items = itemsOf(list);
  return items === undefined
    ? undefined
    : listValue(items.map((item, index) => listValue([{ number: index, taints: [] }, item])));
}

function mapItems(machine: Machine, call: Call): Value {
  const [callback] = call.positional;
  const items = itemsOf(call.receiver);
  if (callback === undefined) return UNKNOWN;
  const results: Value[] = [];
  for (const [index, item] of (items?.slice(0, MAX_MAPPED) ?? [itemOf(call.receiver)]).entries())
    results.push(machine.call(callback, [item, { number: index, taints: [] }, call.receiver], call.span));
  const list = listValue(results, taintsOf(call.receiver));
  return items === undefined && list.box !== undefined
    ? { ...list, box: { ...list.box, isLoose: true } }
    : list;
}

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

export function fromCodes(call: Call): Value | undefined {
  const codes = call.positional.map((value) => value.number);
  const taints = taintsOfAll(call.positional);
  let text = "";
  for (const code of codes) {
    // Codes that only the running program knows are how ordinary text is read, too.
    if (code === undefined || code < 0 || code > 0x10_ff_ff || !Number.isInteger(code))
      return unknownWith(taints);
    text += String.fromCodePoint(code);
  }
  return { ...textValue(text, unionTaints(taints, [CHARACTER_CODES])), isBuilt: true };
}

export function fromList(call: Call): Value | undefined {
  const [first] = call.positional;
  if (first === undefined) return { text: "", isBytes: true, taints: [] };
  if (first.text !== undefined) return { ...first, isBytes: true };
  const items = itemsOf(first);
  if (items === undefined || items.some((item) => item.number === undefined))
    return unknownWith(taintsOf(first));
  const text = String.fromCharCode(...items.slice(0, 4_096).map((item) => (item.number ?? 0) & 0xff));
  return {
    ...textValue(text, unionTaints(taintsOf(first), [CHARACTER_CODES])),
    isBuilt: true,
    isBytes: true,
  };
}

export function decodeBytes(call: Call): Value | undefined {
  const bytes = fromList(call);
  if (bytes?.text === undefined) return bytes;
  const { isBytes: _, ...plain } = bytes;
  return { ...plain, text: decodeUtf8(bytes.text) };
}

const CHARACTER_CODES: Taint = {
  source: { type: "decoded", encoding: "character codes" },
  steps: [],
  isDirect: true,
};

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
    // The rest after the first difference does not matter, and places differ.
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
