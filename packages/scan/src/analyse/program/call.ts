import type { Slot } from "./api.ts";
import type { Span } from "./program-tree.ts";
import {
  joinValues,
  knownText,
  listValue,
  type Taint,
  taintsOf,
  taintsOfAll,
  UNKNOWN,
  unionTaints,
  unknownWith,
  type Value,
  withTaints,
} from "./value.ts";

export interface Call {
  readonly api: string;
  readonly callee: Value;
  readonly receiver: Value;
  readonly positional: readonly Value[];
  readonly keywords: ReadonlyMap<string, Value>;
  readonly span: Span;
}

export function argumentAt(call: Call, slot: Slot | undefined): Value {
  return givenArgument(call, slot) ?? UNKNOWN;
}

export function givenArgument(call: Call, slot: Slot | undefined): Value | undefined {
  if (slot === undefined) return undefined;
  if (slot === "last") return call.positional.at(-1);
  if (slot === "self") return call.receiver;
  if (slot === "all") return listValue(call.positional);
  const [place, ...names] = slot;
  for (const name of names) {
    const named = call.keywords.get(name) ?? optionOf(call, name);
    if (named !== undefined) return named;
  }
  return call.positional.at(place);
}

/** A field of an object among the arguments, which is how JavaScript names them. */
export function optionOf(call: Call, name: string): Value | undefined {
  for (const value of call.positional) {
    const field = value.box?.definition === undefined ? value.box?.fields?.get(name) : undefined;
    if (field !== undefined) return field;
  }
  return undefined;
}

export function taintsOfArguments(call: Call): readonly Taint[] {
  return unionTaints(taintsOfAll(call.positional), taintsOfAll(call.keywords.values()));
}

/** Longer texts and lists are not taken apart. */
export const MAX_ITEMS = 4_096;
/** Lists that are put together of others grow no longer: sixty doublings would fill any memory. */
export const MAX_JOINED_LIST = 16_384;
const MAX_JOINED_ITEMS = 8;

export function itemsOf(value: Value): readonly Value[] | undefined {
  if (value.box?.items !== undefined) return value.box.isLoose === true ? undefined : value.box.items;
  const text = knownText(value);
  if (text === undefined || text.length > MAX_ITEMS) return undefined;
  if (value.isBytes === true)
    return Array.from(text, (character) => ({ number: character.charCodeAt(0), taints: value.taints }));
  if (value.isRearranged === true)
    return Array.from(text, (character) => ({ text: character, taints: value.taints, isRearranged: true }));
  return Array.from(text, (character) => ({ text: character, taints: value.taints }));
}

export function iteratedOf(value: Value): readonly Value[] | undefined {
  const { box } = value;
  const isDictionary = box?.fields !== undefined && box.items === undefined && box.definition === undefined;
  if (!isDictionary || value.api !== undefined) return itemsOf(value);
  if (box.isLoose === true || box.fields === undefined || box.fields.size === 0) return undefined;
  return [...box.fields.keys()].map((key) => keyValue(key, box.taints));
}

/** A key of a dictionary, which holds numbers as text. */
export function keyValue(key: string, taints: Value["taints"]): Value {
  return /^-?\d{1,15}$/.test(key) ? { number: Number(key), taints } : { text: key, taints };
}

export function itemAt(value: Value, place: number): Value | undefined {
  if (value.box?.items !== undefined)
    return value.box.isLoose === true ? undefined : value.box.items.at(place);
  // Not by taking the whole text apart: decoders pick thousands of characters from one alphabet.
  const text = knownText(value);
  const character = text?.at(place);
  if (character === undefined || !Number.isInteger(place)) return undefined;
  return value.isBytes === true
    ? { number: character.charCodeAt(0), taints: value.taints }
    : { text: character, taints: value.taints };
}

export function itemOf(value: Value): Value {
  if (value.api === "listing") return { ...value, api: "path" };
  let joined: Value | undefined;
  for (const item of value.box?.items?.slice(0, MAX_JOINED_ITEMS) ?? []) joined = joinValues(joined, item);
  return joined === undefined ? unknownWith(taintsOf(value)) : withTaints(joined ?? UNKNOWN, taintsOf(value));
}
