import { parseJson } from "@skillet/kit/json";
import { decodeConstant, decodedValue, decodeUtf8, type Encoding } from "./decode-constant.ts";
import {
  fieldsOf,
  filterItems,
  listOf,
  mapItems,
  numberedItems,
  reduceItems,
  sortItems,
} from "./fold-list.ts";
import { foldBinary, joinLists, rearranged } from "./fold-operator.ts";
import { bytesOf, decodeBytes, fromCodes } from "./fold-text.ts";
import type { Call } from "./machine.ts";
import {
  byName,
  dictionaryValue,
  HOLE,
  itemOf,
  itemsOf,
  iteratedOf,
  keyOf,
  knownText,
  listValue,
  MAX_FOLDED_CHARACTERS,
  MAX_ITEMS,
  numberValue,
  taintsOf,
  taintsOfAll,
  textValue,
  UNKNOWN,
  unknownWith,
  type Value,
  withTaints,
} from "./value.ts";

/** The result of a built-in function for constants; undefined for other functions or unknown arguments. */
export function foldFunction(call: Call): Value | undefined {
  return FUNCTIONS.get(call.api)?.(call);
}

type Fold = (call: Call) => Value | undefined;

const MAX_RANGE = 2_048;

const FUNCTIONS: ReadonlyMap<string, Fold> = byName<Fold>([
  ["abs Math.abs", ofNumbers(Math.abs)],
  ["round Math.round", ofNumbers(Math.round)],
  ["Math.floor math.floor", ofNumbers(Math.floor)],
  ["Math.trunc", ofNumbers(Math.trunc)],
  ["Math.ceil math.ceil", ofNumbers(Math.ceil)],
  ["min Math.min", ofNumbers(Math.min)],
  ["max Math.max", ofNumbers(Math.max)],
  ["sum", ofNumbers((...numbers) => numbers.reduce((sum, number) => sum + number, 0))],
  ["operator.xor", ofNumbers((left, right) => left ^ right)],
  ["operator.add", ofNumbers((left, right) => left + right)],
  ["operator.sub", ofNumbers((left, right) => left - right)],
  ["pow Math.pow math.pow", ofNumbers(power)],
  ["divmod", quotient],
  ["chr unichr String.fromCharCode String.fromCodePoint", fromCodes],
  ["bytes", bytesOf],
  ["bytearray", (call) => (call.positional.length === 0 ? listValue([]) : bytesOf(call))],
  // Filled later, by `set` and `add`.
  ["Map", ({ positional }) => (positional.length === 0 ? listValue([]) : undefined)],
  ["URL", ({ positional: [url] }) => url && { ...url, box: { taints: [] } }],
  ["Uint8Array", typedArray],
  ["Uint8Array.of", ({ positional }) => listValue(positional)],
  ["text-decoder.decode", decodeBytes],
  ["str", (call) => (call.positional[0]?.box?.items === undefined ? undefined : decodeBytes(call))],
  ["str.maketrans", makeTable],
  ["dict Object.fromEntries", dictionaryOf],
  ["sorted", (call) => sortItems(call, call.at(0), call.keywords.get("key")) ?? listOf(call.at(0))],
  ["itertools.cycle", (call) => ({ api: "cycle", subject: call.at(0), taints: [] })],
  ["functools.reduce", (call) => reduceItems(call, call.at(0), call.at(1), call.positional[2])],
  ["map", (call) => mapItems(call, call.at(0), call.at(1))],
  ["filter", (call) => filterItems(call, call.at(0), call.at(1))],
  ["reversed", (call) => ofItems(call, (items) => listValue(items.toReversed().map(rearranged)))],
  ["itertools.chain heapq.merge array_merge", ({ positional }) => chain(positional)],
  ["itertools.chain.from_iterable", (call) => chain(call.at(0).box?.items ?? [])],
  ["ord", (call) => ({ number: knownText(call.at(0))?.charCodeAt(0), taints: [] })],
  ["len", (call) => ofItems(call, (items) => numberValue(items.length)) ?? UNKNOWN],
  ["int parseInt Number", toInteger],
  [
    "list tuple set frozenset iter Set collections.deque",
    ({ positional: [first = listValue([])], keywords }) => (keywords.size > 0 ? undefined : listOf(first)),
  ],
  ["Array.from Uint8Array.from", arrayFrom],
  ["Object.keys", (call) => fieldsOf(call.at(0), "keys") ?? unknownWith(taintsOf(call.at(0)))],
  ["Object.values", (call) => fieldsOf(call.at(0), "values")],
  ["Object.entries", (call) => fieldsOf(call.at(0), "entries")],
  ["range", range],
  ["enumerate", enumerate],
  ["zip", zip],
  ["file.read", ({ receiver }) => receiver.box?.fields?.get("$text")],
  ["json.load", (call) => parseData(call.at(0).box?.fields?.get("$text"))],
  ["json.loads JSON.parse", (call) => parseData(call.positional[0])],
  ["json.dumps JSON.stringify", ({ positional: [value] }) => value && written(value)],
  ["codecs.decode codecs.encode", codec],
  ["Buffer.from Buffer", bufferFrom],
  ["functools.partial", partial],
  ["site.getsitepackages", () => listValue([textValue("/usr/lib/python3/site-packages")])],
  ["globals", () => ({ api: "globals()", taints: [] })],
  ["global-getter", () => ({ api: "globalThis", taints: [], isDisguised: true })],
  ["locals", () => ({ api: "locals()", taints: [] })],
  ["sys.modules.get", (call) => call.invoke({ api: "__import__", taints: [] }, call.positional)],
]);

function ofItems(call: Call, fold: (items: readonly Value[]) => Value): Value | undefined {
  const items = itemsOf(call.at(0));
  return items && fold(items);
}

function ofNumbers(compute: (...numbers: [number, number, ...number[]]) => number | undefined): Fold {
  return ({ positional }) => {
    const [only] = positional;
    const isList = positional.length === 1 && only?.number === undefined;
    const values = isList ? itemsOf(only ?? UNKNOWN) : positional;
    const numbers = values?.flatMap((value) => value.number ?? []) ?? [];
    if (values === undefined || numbers.length === 0 || numbers.length < values.length) return undefined;
    const number = compute(...(numbers as [number, number]));
    return number === undefined ? undefined : { number, taints: taintsOfAll(values) };
  };
}

/** `pow(a, b)` and `pow(a, b, m)`, where `b = -1` gives the inverse that affine ciphers need. */
function power(base: number, exponent: number, modulus?: number): number | undefined {
  if (modulus === undefined) return base ** exponent;
  if (![base, exponent, modulus].every(Number.isSafeInteger) || modulus < 1) return undefined;
  const whole = BigInt(modulus);
  let square = ((BigInt(base) % whole) + whole) % whole;
  if (exponent < 0) {
    const inverse = Array.from({ length: Math.min(modulus, MAX_MODULUS) }, (_, number) =>
      BigInt(number),
    ).find((number) => (number * square) % whole === 1n);
    if (inverse === undefined) return undefined;
    square = inverse;
  }
  let result = 1n;
  for (let left = BigInt(Math.abs(exponent)); left > 0n; left >>= 1n) {
    if (left & 1n) result = (result * square) % whole;
    square = (square * square) % whole;
  }
  return Number(result);
}

/** The size of an alphabet or of a byte; inverses are not searched for beyond it. */
const MAX_MODULUS = 1_024;

function quotient(call: Call): Value | undefined {
  const [left, right] = [call.at(0), call.at(1)];
  if (left.number === undefined || right.number === undefined || right.number === 0) return undefined;
  return listValue([foldBinary("//", left, right), foldBinary("%", left, right)]);
}

/** A partial function will be called sooner or later. */
function partial(call: Call): Value | undefined {
  const [target, ...values] = call.positional;
  if (target !== undefined) call.invoke(target, values);
  return target;
}

function toInteger({ positional: [first, base] }: Call): Value | undefined {
  if (first?.number !== undefined) return { number: Math.trunc(first.number), taints: taintsOf(first) };
  const text = first === undefined ? undefined : knownText(first);
  if (text === undefined) return UNKNOWN;
  const number =
    base?.number === undefined ? Number(text) : Number.parseInt(text, Math.min(36, Math.max(2, base.number)));
  return Number.isNaN(number) ? UNKNOWN : numberValue(number);
}

function typedArray(call: Call): Value | undefined {
  const { number } = call.at(0);
  if (number === undefined || !(number >= 0 && number <= MAX_ITEMS)) return undefined;
  return listValue(Array.from({ length: Math.floor(number) }, () => numberValue(0)));
}

function chain(lists: readonly Value[]): Value | undefined {
  const known = lists.map((list) => listOf(list) ?? list);
  return known.some(({ box }) => box?.items !== undefined) ? joinLists(known) : undefined;
}

function arrayFrom(call: Call): Value | undefined {
  const [list = UNKNOWN, callback] = call.positional;
  const count = list.box?.fields?.get("length");
  const places = count && range(call.of(count));
  if (callback === undefined) return places ?? listOf(list);
  if (places === undefined) return mapItems(call, callback, list);
  const items = itemsOf(places) ?? [];
  return listValue(items.map((place) => call.invoke(callback, [UNKNOWN, place])));
}

function range({ positional }: Call): Value | undefined {
  const [first, second, step] = positional.map((value) => value.number);
  const from = second === undefined ? 0 : first;
  const to = second ?? first;
  const by = step ?? 1;
  if (from === undefined || to === undefined || by === 0) return undefined;
  const count = Math.ceil((to - from) / by);
  if (!(count >= 0 && count <= MAX_RANGE)) return undefined;
  return listValue(Array.from({ length: count }, (_, index) => numberValue(from + index * by)));
}

function enumerate(call: Call): Value {
  const list = call.at(0);
  return numberedItems(list) ?? listValue([listValue([UNKNOWN, itemOf(list)])], taintsOf(list), true);
}

function zip({ positional }: Call): Value | undefined {
  const lists = positional.map(iteratedOf);
  const longest = Math.max(0, ...lists.map((list) => list?.length ?? 0));
  // A key that is shorter than the hidden text is repeated.
  const whole = lists.map((list, index) => list ?? cycleOf(positional[index], longest));
  if (whole.length === 0 || whole.includes(undefined)) return undefined;
  const length = Math.min(...whole.map((list) => list?.length ?? 0));
  return listValue(
    Array.from({ length }, (_, index) => listValue(whole.map((list) => list?.[index] ?? UNKNOWN))),
  );
}

function cycleOf(value: Value | undefined, length: number): readonly Value[] | undefined {
  const items = value?.api === "cycle" && value.subject !== undefined ? itemsOf(value.subject) : undefined;
  if (items === undefined || items.length === 0) return undefined;
  return Array.from({ length }, (_, index) => items[index % items.length] ?? UNKNOWN);
}

const CODECS: ReadonlyMap<string, Encoding> = byName<Encoding>([
  ["rot13 rot_13 rot-13", "rot13"],
  ["base64 base64_codec", "base64"],
  ["hex hex_codec", "hex"],
  ["zlib", "zlib"],
  ["utf-8 utf8", "utf8"],
]);

function codec(call: Call): Value | undefined {
  const [data, name] = call.positional;
  const encoding = CODECS.get((name === undefined ? "utf8" : (knownText(name) ?? "")).toLowerCase());
  if (data === undefined || encoding === undefined) return undefined;
  if (call.api === "codecs.encode" && encoding !== "rot13") return undefined;
  return decodedValue(call, data, encoding);
}

function bufferFrom(call: Call): Value | undefined {
  const [data, name] = call.positional;
  if (data === undefined) return undefined;
  const encoding = name === undefined ? "" : (knownText(name)?.toLowerCase() ?? "");
  if (/^base64(?:url)?$|^hex$/.test(encoding))
    return decodedValue(call, data, encoding === "hex" ? "hex" : "base64");
  if (data.box?.items !== undefined) return bytesOf(call);
  const text = knownText(data);
  if (text === undefined) return undefined;
  return { ...data, text: decodeConstant(decodeUtf8(text), "utf8") ?? text };
}

/** `str.maketrans(from, to)`: a map from characters to their replacements. */
function makeTable({ positional: [from = UNKNOWN, to = UNKNOWN] }: Call): Value | undefined {
  if (from.box?.fields !== undefined) return from;
  const [letters, others] = [knownText(from), knownText(to)];
  if (letters === undefined || others === undefined || letters.length > MAX_ITEMS) return undefined;
  const fields = new Map<string, Value>();
  for (let index = 0; index < letters.length; index++)
    fields.set(letters[index] ?? "", { text: others[index] ?? "", taints: [] });
  return dictionaryValue(fields);
}

function dictionaryOf({ positional: [first], keywords }: Call): Value | undefined {
  const pairs = first === undefined ? undefined : itemsOf(first);
  if (pairs === undefined || keywords.size > 0 || first?.text !== undefined) return undefined;
  const fields = new Map<string, Value>();
  for (const pair of pairs) {
    const [key, value] = pair.box?.items ?? [];
    const name = key && keyOf(key);
    if (name === undefined || value === undefined) return undefined;
    fields.set(name, value);
  }
  return dictionaryValue(fields, taintsOfAll(pairs));
}

const MAX_NODES = 2_000;
const MAX_SHOWN = 64;

function written(value: Value): Value | undefined {
  const text = value.api === undefined ? jsonText(value) : undefined;
  return text === undefined ? undefined : textValue(text, taintsOf(value));
}

/** A value as JSON, as far as it is known; undefined if it is neither a list nor a dictionary. */
export function jsonText({ box }: Value, depth: number = 0): string | undefined {
  if (box === undefined || depth > 8) return undefined;
  const shown = (value: Value): string =>
    jsonText(value, depth + 1) ??
    (value.number === undefined ? JSON.stringify(value.text ?? HOLE) : String(value.number));
  if (box.items !== undefined) return `[${box.items.slice(0, MAX_SHOWN).map(shown).join(", ")}]`;
  if (box.fields === undefined || box.definition !== undefined) return undefined;
  const fields = [...box.fields].slice(0, MAX_SHOWN);
  return `{${fields.map(([key, value]) => `${JSON.stringify(key)}: ${shown(value)}`).join(", ")}}`;
}

/** The skill's own file contains constants, which reveal nothing about this machine; secrets stay secret. */
function parseData(data: Value = UNKNOWN): Value | undefined {
  const text = knownText(data);
  const value = text === undefined ? undefined : jsonValue(text);
  const taints = taintsOf(data).filter(({ source }) => source.type !== "file");
  return value && withTaints(value, taints);
}

/** The value of a JSON text as a program would parse it; undefined if it is invalid or too long. */
export function jsonValue(text: string): Value | undefined {
  if (text.length > MAX_FOLDED_CHARACTERS) return undefined;
  const parsed = parseJson(text);
  return parsed === undefined ? undefined : held(parsed, { nodes: MAX_NODES }, 0);
}

function held(data: unknown, left: { nodes: number }, depth: number): Value {
  // Bounds both depth and number, as the text may be nothing but brackets.
  if (left.nodes-- <= 0 || depth > 32) return UNKNOWN;
  if (typeof data === "string") return textValue(data);
  if (typeof data === "number") return numberValue(data);
  if (Array.isArray(data)) return listValue(data.map((item: unknown) => held(item, left, depth + 1)));
  if (typeof data !== "object" || data === null) return UNKNOWN;
  const fields = new Map<string, Value>();
  for (const [key, value] of Object.entries(data)) fields.set(key, held(value, left, depth + 1));
  return dictionaryValue(fields);
}
