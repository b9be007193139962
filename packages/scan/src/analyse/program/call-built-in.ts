import { parseJson } from "@skillet/kit/json";
import { type Call, itemOf, itemsOf, iteratedOf, MAX_ITEMS } from "./call.ts";
import { decodeConstant, decodedValue, decodeUtf8, type Encoding } from "./decode-constant.ts";
import { ARITHMETIC, byName } from "./fold-arithmetic.ts";
import {
  decodeBytes,
  filterItems,
  fromCodes,
  fromList,
  reduceItems,
  sortValues,
} from "./fold-list-method.ts";
import { rearranged } from "./fold-operator.ts";
import type { Machine } from "./machine.ts";
import {
  HOLE,
  keyOf,
  knownText,
  listValue,
  MAX_FOLDED_CHARACTERS,
  taintsOf,
  taintsOfAll,
  textValue,
  UNKNOWN,
  unknownWith,
  type Value,
  withTaints,
} from "./value.ts";

export function callBuiltIn(machine: Machine, call: Call): Value | undefined {
  return BUILT_INS.get(call.api)?.(call, machine);
}

type BuiltIn = (call: Call, machine: Machine) => Value | undefined;

const MAX_RANGE = 2_048;
const BUILT_INS: ReadonlyMap<string, BuiltIn> = byName<BuiltIn>([
  ...ARITHMETIC,
  ["chr unichr String.fromCharCode String.fromCodePoint", fromCodes],
  ["bytes", fromList],
  ["bytearray", (call) => (call.positional.length === 0 ? listValue([]) : fromList(call))],
  // Filled later, by `set` and `add`.
  ["Map Set", ({ positional }) => (positional.length === 0 ? listValue([]) : undefined)],
  ["URL", ({ positional: [url] }) => (url === undefined ? undefined : { ...url, box: { taints: [] } })],
  ["Uint8Array", typedArray],
  ["Uint8Array.of", (call) => listValue(call.positional)],
  ["text-decoder.decode", decodeBytes],
  ["str", (call) => (call.positional[0]?.box?.items === undefined ? undefined : decodeBytes(call))],
  ["str.maketrans", makeTable],
  ["dict Object.fromEntries", dictionaryOf],
  ["sorted", sorted],
  ["itertools.cycle", (call) => ({ api: "cycle", subject: call.positional[0] ?? UNKNOWN, taints: [] })],
  ["functools.reduce", reduce],
  ["ord", (call) => numberOf(call, (text) => text.charCodeAt(0))],
  ["len", lengthOf],
  ["int parseInt Number", toInteger],
  ["map", mapFunction],
  ["filter", filterFunction],
  ["reversed", reverse],
  ["list tuple", listOf],
  ["Array.from Uint8Array.from", arrayFrom],
  ["Object.keys", (call) => fieldsOf(call, "keys")],
  ["Object.values", (call) => fieldsOf(call, "values")],
  ["Object.entries", (call) => fieldsOf(call, "entries")],
  ["range", range],
  ["enumerate", enumerate],
  ["zip", zip],
  ["file.read", ({ receiver }) => receiver.box?.fields?.get("$text")],
  ["json.load", (call) => parseData(call.positional[0]?.box?.fields?.get("$text"))],
  ["json.loads JSON.parse", (call) => parseData(call.positional[0])],
  [
    "json.dumps JSON.stringify",
    ({ positional: [value] }) => {
      const text = value === undefined || value.api !== undefined ? undefined : jsonText(value);
      return text === undefined || value === undefined ? undefined : textValue(text, taintsOf(value));
    },
  ],
  ["codecs.decode codecs.encode", codec],
  ["Buffer.from Buffer", bufferFrom],
  ["functools.partial", partial],
  ["site.getsitepackages", () => listValue([textValue("/usr/lib/python3/site-packages")])],
  ["globals", () => ({ api: "globals()", taints: [] })],
  ["global-getter", () => ({ api: "globalThis", taints: [], isDisguised: true })],
  ["locals", () => ({ api: "locals()", taints: [] })],
  [
    "sys.modules.get",
    (call, machine) => machine.call({ api: "__import__", taints: [] }, call.positional, call.span),
  ],
]);

/** A prepared function is called sooner or later. */
function partial({ positional: [target, ...values], span }: Call, machine: Machine): Value | undefined {
  if (target !== undefined) machine.call(target, values, span);
  return target;
}

function numberOf(call: Call, of: (text: string) => number): Value | undefined {
  const text = call.positional[0] === undefined ? undefined : knownText(call.positional[0]);
  return text === undefined ? UNKNOWN : { number: of(text), taints: [] };
}

function lengthOf(call: Call): Value {
  const items = itemsOf(call.positional[0] ?? UNKNOWN);
  return items === undefined ? UNKNOWN : { number: items.length, taints: [] };
}

function toInteger(call: Call): Value | undefined {
  const [first, base] = call.positional;
  if (first?.number !== undefined) return { number: Math.trunc(first.number), taints: taintsOf(first) };
  const text = first === undefined ? undefined : knownText(first);
  if (text === undefined) return UNKNOWN;
  const number =
    base?.number === undefined ? Number(text) : Number.parseInt(text, Math.min(36, Math.max(2, base.number)));
  return Number.isNaN(number) ? UNKNOWN : { number, taints: [] };
}

function mapFunction(call: Call, machine: Machine): Value | undefined {
  const [callback, list] = call.positional;
  if (callback === undefined || list === undefined) return undefined;
  const items = itemsOf(list);
  const results = (items?.slice(0, 4_096) ?? [itemOf(list)]).map((item) =>
    machine.call(callback, [item], call.span),
  );
  const mapped = listValue(results, items === undefined ? taintsOf(list) : []);
  return items === undefined && mapped.box !== undefined
    ? { ...mapped, box: { ...mapped.box, isLoose: true } }
    : mapped;
}

function reverse(call: Call): Value | undefined {
  const items = itemsOf(call.positional[0] ?? UNKNOWN);
  return items === undefined ? undefined : listValue(items.toReversed().map(rearranged));
}

function sorted(call: Call, machine: Machine): Value | undefined {
  const [list] = call.positional;
  return list === undefined ? undefined : sortValues(machine, call, list, call.keywords.get("key"));
}

function filterFunction(call: Call, machine: Machine): Value | undefined {
  const [callback, list] = call.positional;
  if (callback === undefined || list === undefined) return list;
  return filterItems(machine, call.span, callback, list);
}

function reduce({ positional, span }: Call, machine: Machine): Value | undefined {
  const [callback, list, start] = positional;
  if (callback === undefined || list === undefined) return undefined;
  return reduceItems(machine, span, callback, list, start);
}

function typedArray(call: Call): Value | undefined {
  const count = call.positional[0]?.number;
  if (count === undefined || !(count >= 0 && count <= MAX_ITEMS)) return undefined;
  return listValue(Array.from({ length: Math.floor(count) }, () => ({ number: 0, taints: [] })));
}

function listOf(call: Call): Value | undefined {
  const [first] = call.positional;
  if (first === undefined) return listValue([]);
  const items = iteratedOf(first);
  return items === undefined ? undefined : listValue(items, taintsOf(first));
}

function arrayFrom(call: Call, machine: Machine): Value | undefined {
  const [given, callback] = call.positional;
  const count = given?.box?.fields?.get("length")?.number;
  const isCount = count !== undefined && count >= 0 && count <= MAX_RANGE;
  const list = isCount ? range({ ...call, positional: [{ number: count, taints: [] }] }) : given;
  if (isCount && callback !== undefined)
    return listValue(
      (itemsOf(list ?? UNKNOWN) ?? []).map((place) => machine.call(callback, [UNKNOWN, place], call.span)),
    );
  return callback === undefined || list === undefined
    ? listOf(call)
    : mapFunction({ ...call, positional: [callback, list] }, machine);
}

function fieldsOf(call: Call, what: "keys" | "values" | "entries"): Value | undefined {
  const box = call.positional[0]?.box;
  if (box?.fields === undefined)
    return what === "keys" ? unknownWith(taintsOf(call.positional[0] ?? UNKNOWN)) : undefined;
  return listValue(
    [...box.fields].map(([key, value]) => {
      const name: Value = { text: key, taints: [] };
      return what === "keys" ? name : what === "values" ? value : listValue([name, value]);
    }),
    what === "keys" ? [] : box.taints,
  );
}

function range(call: Call): Value | undefined {
  const [first, second, step] = call.positional.map((value) => value.number);
  const from = second === undefined ? 0 : first;
  const to = second ?? first;
  const by = step ?? 1;
  if (from === undefined || to === undefined || by === 0 || call.positional.length === 0) return undefined;
  const count = Math.ceil((to - from) / by);
  if (!(count >= 0 && count <= MAX_RANGE)) return undefined;
  return listValue(Array.from({ length: count }, (_, index) => ({ number: from + index * by, taints: [] })));
}

function enumerate(call: Call): Value | undefined {
  const list = call.positional[0] ?? UNKNOWN;
  const items = itemsOf(list);
  if (items === undefined) {
    const pair = listValue([UNKNOWN, itemOf(list)]);
    return { box: { items: [pair], taints: taintsOf(list), isLoose: true }, taints: [] };
  }
  return listValue(items.map((item, index) => listValue([{ number: index, taints: [] }, item])));
}

function zip(call: Call): Value | undefined {
  const given = call.positional.map((value) => iteratedOf(value));
  const longest = Math.max(0, ...given.map((list) => list?.length ?? 0));
  // A key that is shorter than what it hides goes round.
  const lists = given.map((list, index) => list ?? cycleOf(call.positional[index], longest));
  const lengths = lists.map((list) => list?.length ?? Number.NaN);
  if (lengths.some(Number.isNaN) || lengths.length === 0) return undefined;
  return listValue(
    Array.from({ length: Math.min(...lengths) }, (_, index) =>
      listValue(lists.map((list) => list?.[index] ?? UNKNOWN)),
    ),
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

/** Of a file of the skill's own: constants, which say nothing of this machine; secrets stay what they are. */
function parseData(data: Value | undefined): Value | undefined {
  const text = data === undefined ? undefined : knownText(data);
  const value = text === undefined ? undefined : jsonValue(text);
  if (value === undefined || data === undefined) return undefined;
  const taints = taintsOf(data).filter(({ source }) => source.type !== "file");
  return taints.length === 0 ? value : withTaints(value, taints);
}

function codec(call: Call, machine: Machine): Value | undefined {
  const [data, name] = call.positional;
  const encoding = CODECS.get((name === undefined ? "utf8" : (knownText(name) ?? "")).toLowerCase());
  if (data === undefined || encoding === undefined) return undefined;
  if (call.api === "codecs.encode" && encoding !== "rot13") return undefined;
  return decodedValue(machine, call.span, data, encoding);
}

function bufferFrom(call: Call, machine: Machine): Value | undefined {
  const [data, name] = call.positional;
  if (data === undefined) return undefined;
  const encoding = name === undefined ? undefined : knownText(name)?.toLowerCase();
  if (encoding === "base64" || encoding === "base64url")
    return decodedValue(machine, call.span, data, "base64");
  if (encoding === "hex") return decodedValue(machine, call.span, data, "hex");
  if (data.box?.items !== undefined) return fromList(call);
  const text = knownText(data);
  if (text === undefined) return undefined;
  return { ...data, text: decodeConstant(decodeUtf8(text), "utf8") ?? text };
}

/** `str.maketrans(from, to)`: which character stands for which. */
function makeTable({ positional: [from, to] }: Call): Value | undefined {
  if (from?.box?.fields !== undefined) return from;
  const [letters, others] = [knownText(from ?? UNKNOWN), knownText(to ?? UNKNOWN)];
  if (letters === undefined || others === undefined || letters.length > MAX_ITEMS) return undefined;
  const fields = new Map<string, Value>();
  for (let index = 0; index < letters.length; index++)
    fields.set(letters[index] ?? "", { text: others[index] ?? "", taints: [] });
  return { box: { fields, taints: [] }, taints: [] };
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
  return { box: { fields, taints: taintsOfAll(pairs) }, taints: [] };
}

const MAX_NODES = 2_000;

/** A value as JSON, as far as it is known; undefined where it is neither a list nor a dictionary. */
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

const MAX_SHOWN = 64;

/** The value of a JSON text, as a program that parses it would hold it; undefined where it is invalid or too long. */
export function jsonValue(text: string): Value | undefined {
  if (text.length > MAX_FOLDED_CHARACTERS) return undefined;
  const parsed = parseJson(text);
  return parsed === undefined ? undefined : held(parsed, { nodes: MAX_NODES }, 0);
}

function held(data: unknown, left: { nodes: number }, depth: number): Value {
  // Depth as well as number: the text may be nothing but brackets.
  if (left.nodes-- <= 0 || depth > 32) return UNKNOWN;
  if (typeof data === "string") return textValue(data);
  if (typeof data === "number") return { number: data, taints: [] };
  if (Array.isArray(data)) return listValue(data.map((item: unknown) => held(item, left, depth + 1)));
  if (typeof data !== "object" || data === null) return UNKNOWN;
  const fields = new Map<string, Value>();
  for (const [key, value] of Object.entries(data)) fields.set(key, held(value, left, depth + 1));
  return { box: { fields, taints: [] }, taints: [] };
}
