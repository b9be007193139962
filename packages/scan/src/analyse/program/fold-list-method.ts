import type { Call } from "./call.ts";
import { filterItems, reduceItems } from "./fold-items.ts";
import { joinTexts } from "./fold-method.ts";
import { concatValues, foldSlice, rearranged } from "./fold-operator.ts";
import { decodeBytes } from "./from-codes.ts";
import { itemAt, itemOf, itemsOf, keyValue, MAX_JOINED_LIST } from "./items-of.ts";
import type { Machine } from "./machine.ts";
import { sortValues } from "./sort-values.ts";
import {
  type Box,
  knownText,
  listValue,
  taintsOf,
  taintsOfAll,
  UNKNOWN,
  unionTaints,
  unknownWith,
  type Value,
} from "./value.ts";

const MAX_MAPPED = 4_096;

/** Does what a method of a list or of a dictionary does; undefined where it is not known. */
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

const ADDING: ReadonlySet<string> = new Set([
  "append",
  "push",
  "extend",
  "add",
  "insert",
  "unshift",
  "update",
]);

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
