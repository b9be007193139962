import type { DataSource } from "../../fact/fact.ts";
import { words } from "../../word-list.ts";
import type { FactRecorder } from "./machine.ts";
import type { ClassDefinition, FunctionDefinition } from "./program-tree.ts";
import type { Scope } from "./scope.ts";

/** Replaces a part of a text that is unknown until the program runs; never in a program's own text. */
export const HOLE = "\u{fdd0}";
export const MAX_FOLDED_CHARACTERS: number = 64 * 1024;
const MAX_TAINTS = 12;
const MAX_ALTERNATIVES = 4;
const MAX_STEPS = 6;

export interface Taint {
  readonly source: DataSource;
  readonly steps: readonly string[];
  /** Whether the value is that data or a piece of it, not the result of an unknown function. */
  readonly isDirect: boolean;
}

export interface Value {
  /** A string, or bytes as Latin-1, with unknown parts as `HOLE`. */
  readonly text?: string | undefined;
  readonly isBytes?: boolean;
  readonly number?: number | undefined;
  readonly api?: string | undefined;
  readonly closure?: Closure;
  /** Its mutable content, shared by all references to it. */
  readonly box?: Box;
  /** Its subject: the path of an open file, the address of a connection, the object of a method. */
  readonly subject?: Value;
  /** The name under which it was found in `subject`. */
  readonly property?: string;
  readonly taints: readonly Taint[];
  /** Whether its text was assembled or decoded instead of written out, as `"ev" + "al"`. */
  readonly isBuilt?: boolean;
  /** Whether its characters were rearranged by computation: picked by index, reversed, replaced. */
  readonly isRearranged?: boolean;
  readonly isDisguised?: boolean;
  readonly isEncrypted?: boolean;
  /** Whether it is an unchanged argument of a function. */
  readonly isParameter?: boolean;
  /** The library that made it, if nothing else is known about it. */
  readonly maker?: Maker | undefined;
  readonly alternatives?: readonly Value[] | undefined;
}

/** Everything that was passed to the objects of a library, by any of their methods. */
export interface Maker {
  readonly root: string;
  address?: string | undefined;
  taints: readonly Taint[];
}

export interface Closure {
  readonly definition: FunctionDefinition;
  readonly scope: Scope;
  readonly owner?: Value | undefined;
  readonly takesOwner: boolean;
  /** The recorder of its own file, which records its effects. */
  readonly recorder: FactRecorder;
}

export interface Box {
  items?: Value[];
  fields?: Map<string, Value>;
  taints: readonly Taint[];
  definition?: ClassDefinition;
  isClass?: boolean;
  /** Set once an item was added at an unknown position. */
  isLoose?: boolean;
}

export const UNKNOWN: Value = { taints: [] };

export function textValue(text: string, taints: readonly Taint[] = []): Value {
  return text.length > MAX_FOLDED_CHARACTERS
    ? { text: text.slice(0, MAX_FOLDED_CHARACTERS) + HOLE, taints }
    : { text, taints };
}

export function unknownWith(taints: readonly Taint[]): Value {
  return taints.length === 0 ? UNKNOWN : { taints };
}

export function numberValue(number: number): Value {
  return { number, taints: [] };
}

/** A loose list may contain more than is known, in another order. */
export function listValue(items: readonly Value[], taints: readonly Taint[] = [], isLoose = false): Value {
  const all = unionTaints(taints, taintsOfAll(items));
  return { box: { items: [...items], taints: all, ...(isLoose ? { isLoose } : {}) }, taints: [] };
}

export function dictionaryValue(fields: Map<string, Value>, taints: readonly Taint[] = []): Value {
  return { box: { fields, taints }, taints: [] };
}

export function taintsOf(value: Value): readonly Taint[] {
  if (value.box === undefined || value.box.taints.length === 0) return value.taints;
  return value.taints.length === 0 ? value.box.taints : unionTaints(value.taints, value.box.taints);
}

export function taintsOfAll(values: Iterable<Value>): readonly Taint[] {
  let taints: readonly Taint[] = [];
  for (const value of values) {
    const more = taintsOf(value);
    if (more.length > 0 && more !== taints) taints = unionTaints(taints, more);
  }
  return taints;
}

export function unionTaints(...groups: readonly (readonly Taint[])[]): readonly Taint[] {
  let first: readonly Taint[] | undefined;
  let isOne = true;
  for (const group of groups) {
    if (group.length === 0) continue;
    first ??= group;
    isOne &&= group === first;
  }
  if (first === undefined) return [];
  if (isOne) return first;
  const byKey = new Map<string, Taint>();
  for (const group of groups) {
    for (const taint of group) {
      const key = sourceKey(taint.source);
      const known = byKey.get(key);
      if (known === undefined) {
        if (byKey.size < MAX_TAINTS) byKey.set(key, taint);
      } else if (taint.isDirect && !known.isDirect) byKey.set(key, taint);
    }
  }
  return [...byKey.values()];
}

export function encodingsOf(taints: readonly Taint[]): readonly string[] {
  return taints.flatMap(({ source }) => (source.type === "decoded" ? [source.encoding] : []));
}

/** The same sources, no longer as plain data, as they were transformed. */
export function indirect(taints: readonly Taint[]): readonly Taint[] {
  return taints.every((taint) => !taint.isDirect)
    ? taints
    : taints.map((taint) => (taint.isDirect ? { ...taint, isDirect: false } : taint));
}

export function withStep(taints: readonly Taint[], step: string): readonly Taint[] {
  return taints.map((taint) =>
    taint.steps.length >= MAX_STEPS || taint.steps.at(-1) === step
      ? taint
      : { ...taint, steps: [...taint.steps, step] },
  );
}

export function joinValues(left: Value | undefined, right: Value | undefined): Value {
  if (left === undefined || left === right) return right ?? UNKNOWN;
  if (right === undefined) return left;
  if (isEmpty(left)) return withTaints(right, left.taints);
  if (isEmpty(right)) return withTaints(left, right.taints);
  if (left.text !== undefined && left.text === right.text && left.api === right.api)
    return withTaints(left, right.taints);
  const alternatives: Value[] = [];
  for (const value of [...(left.alternatives ?? []), right, ...(right.alternatives ?? [])]) {
    if (alternatives.length >= MAX_ALTERNATIVES) break;
    if (
      value.text !== undefined &&
      (value.text === left.text || alternatives.some((known) => known.text === value.text))
    )
      continue;
    const { alternatives: _, ...plain } = value;
    alternatives.push(plain);
  }
  return { ...left, taints: unionTaints(left.taints, right.taints), alternatives };
}

export function withTaints(value: Value, taints: readonly Taint[]): Value {
  if (taints.length === 0) return value;
  return { ...value, taints: unionTaints(value.taints, taints) };
}

export function textsOf(value: Value): readonly string[] {
  const texts: string[] = [];
  for (const candidate of [value, ...(value.alternatives ?? [])])
    if (candidate.text !== undefined && !texts.includes(candidate.text)) texts.push(candidate.text);
  return texts;
}

export function knownText(value: Value): string | undefined {
  return value.text === undefined || value.text.includes(HOLE) ? undefined : value.text;
}

export function keyOf(value: Value): string | undefined {
  return knownText(value) ?? value.number?.toString();
}

/** A value without content yet: an empty text, null, a fresh name. */
function isEmpty(value: Value): boolean {
  return (
    (value.text === undefined || value.text === "") &&
    value.number === undefined &&
    value.api === undefined &&
    value.closure === undefined &&
    value.box === undefined &&
    value.alternatives === undefined
  );
}

function sourceKey(source: DataSource): string {
  switch (source.type) {
    case "network":
      return `network ${source.url ?? ""} ${source.host ?? ""}`;
    case "decoded":
      return `decoded ${source.encoding} ${source.text?.slice(0, 80) ?? ""}`;
    case "secret":
      return `secret ${source.secret} ${source.name}`;
    case "file":
      return `file ${source.path}`;
    case "capture":
      return `capture ${source.what}`;
    default:
      return source.type;
  }
}

export function byName<Item>(
  rows: readonly (readonly [names: string, item: Item])[],
): ReadonlyMap<string, Item> {
  return new Map(rows.flatMap(([names, item]) => words(names).map((name): [string, Item] => [name, item])));
}

/** Longer texts and lists are not split into items. */
export const MAX_ITEMS = 4_096;
/** Joined lists do not grow beyond this: sixty doublings would fill any memory. */
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

/** A dictionary's key, with numbers stored as text. */
export function keyValue(key: string, taints: Value["taints"]): Value {
  return /^-?\d{1,15}$/.test(key) ? { number: Number(key), taints } : { text: key, taints };
}

export function itemAt(value: Value, place: number): Value | undefined {
  if (value.box?.items !== undefined)
    return value.box.isLoose === true ? undefined : value.box.items.at(place);
  // Does not split the whole text: decoders pick thousands of characters from one alphabet.
  const text = knownText(value);
  const character = text?.at(place);
  if (character === undefined || !Number.isInteger(place)) return undefined;
  return value.isBytes === true
    ? { number: character.charCodeAt(0), taints: value.taints }
    : { text: character, taints: value.taints };
}

export function itemOf(value: Value): Value {
  let joined: Value | undefined;
  for (const { box } of [value, ...(value.alternatives ?? [])])
    for (const item of box?.items?.slice(0, MAX_JOINED_ITEMS) ?? []) joined = joinValues(joined, item);
  return joined === undefined ? unknownWith(taintsOf(value)) : withTaints(joined, taintsOf(value));
}
