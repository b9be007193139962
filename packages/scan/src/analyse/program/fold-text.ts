import { decodeUtf8 } from "./decode-constant.ts";
import { foldListMethod } from "./fold-list.ts";
import { collapseHoles, fillGaps, foldSlice, plainTextOf } from "./fold-operator.ts";
import type { Call } from "./machine.ts";
import {
  byName,
  HOLE,
  itemsOf,
  knownText,
  listValue,
  MAX_FOLDED_CHARACTERS,
  MAX_ITEMS,
  numberValue,
  type Taint,
  taintsOf,
  taintsOfAll,
  textValue,
  unionTaints,
  unknownWith,
  type Value,
} from "./value.ts";

export function foldMethod(call: Call): Value | undefined {
  const { callee, receiver, positional, keywords } = call;
  const { property } = callee;
  if (property === undefined) return undefined;
  if (receiver.box !== undefined) return foldListMethod(call, property);
  if (receiver.text === undefined) return undefined;
  if (property === "join") return joinTexts(positional[0], receiver);
  if (property === "format") return fillGaps(receiver, BRACES, positional, keywords);
  const text = knownText(receiver);
  return text === undefined ? undefined : foldText(receiver, text, property, positional);
}

const BRACES = /\{(\w{0,40})(?:![a-z])?(?::[^{}]{0,20})?\}/g;

export function joinTexts(list: Value | undefined, separator: Value): Value | undefined {
  if (list === undefined) return undefined;
  const items = itemsOf(list);
  const taints = unionTaints(taintsOf(list), taintsOf(separator));
  if (items === undefined) return list.box === undefined ? undefined : { text: HOLE, taints };
  let text = "";
  for (const [index, item] of items.entries()) {
    text += (index === 0 ? "" : (separator.text ?? HOLE)) + (plainTextOf(item) ?? HOLE);
    if (text.length > MAX_FOLDED_CHARACTERS) break;
  }
  const isRearranged = items.some((item) => item.isRearranged === true);
  const isBytes = separator.isBytes === true;
  return { ...textValue(collapseHoles(text), taints), isBuilt: true, isRearranged, isBytes };
}

function foldText(
  receiver: Value,
  text: string,
  property: string,
  values: readonly Value[],
): Value | undefined {
  const change = CHANGES.get(property);
  // Trimming and changing case hide nothing.
  if (change !== undefined) return { ...receiver, text: change(text) };
  if (property === "encode")
    return { ...receiver, text: Buffer.from(text).toString("latin1"), isBytes: true };
  if (property === "decode" || property === "toString") {
    const { isBytes: _, ...plain } = receiver;
    return { ...plain, text: decodeUtf8(text) };
  }
  if (property === "slice" || property === "substring") return foldSlice(receiver, values.slice(0, 2));
  const taints = unionTaints(taintsOf(receiver), taintsOfAll(values));
  if (property === "translate") return translated(receiver, text, values[0], taints);
  if (property === "concat") {
    const parts = [text, ...values.map((value) => plainTextOf(value) ?? HOLE)];
    return made(receiver, collapseHoles(parts.join("")), taints, false);
  }
  const method = METHODS.get(property);
  if (method === undefined) return undefined;
  // Only the arguments that the method uses must be known, not how often to replace or split.
  const given = values.slice(0, method.length - 1).map((value) => value.number ?? knownText(value));
  if (given.includes(undefined)) return undefined;
  const result = method(text, given[0], given[1]);
  // A parameter has another value in another call.
  if (typeof result === "boolean" || (typeof result === "number" && !CODES.has(property)))
    return values[0]?.isParameter === true ? undefined : numberValue(Number(result));
  if (typeof result === "number") return { number: result, taints };
  const isRearranged = receiver.isRearranged === true;
  if (Array.isArray(result))
    return listValue(result.map((part: string) => ({ text: part, taints, isBuilt: true, isRearranged })));
  // Removing letters that were inserted to break up words.
  return typeof result === "string"
    ? made(receiver, result, taints, property === "replace" && given[1] === "")
    : undefined;
}

function made(receiver: Value, text: string, taints: readonly Taint[], isRearranged: boolean): Value {
  return { ...textValue(text, taints), isBuilt: true, isBytes: receiver.isBytes === true, isRearranged };
}

const CHANGES: ReadonlyMap<string, (text: string) => string> = byName([
  ["lower toLowerCase", (text: string) => text.toLowerCase()],
  ["upper toUpperCase", (text: string) => text.toUpperCase()],
  ["strip trim", (text: string) => text.trim()],
  ["rstrip", (text: string) => text.trimEnd()],
  ["lstrip", (text: string) => text.trimStart()],
  [
    "swapcase",
    (text: string) => text.replace(/[a-z]/gi, (one) => String.fromCharCode(one.charCodeAt(0) ^ 32)),
  ],
]);

type Plain = string | number | undefined;
type Method = (text: string, first: Plain, second: Plain) => Plain | boolean | readonly string[];

const METHODS: ReadonlyMap<string, Method> = byName<Method>([
  [
    "index find indexOf",
    (text, part, from) => (part === undefined ? part : text.indexOf(`${part}`, Number(from ?? 0))),
  ],
  ["rfind lastIndexOf", (text, part) => (part === undefined ? part : text.lastIndexOf(`${part}`))],
  ["includes", (text, part) => (part === undefined ? part : text.includes(`${part}`))],
  ["startswith", (text, part) => (part === undefined ? part : text.startsWith(`${part}`))],
  ["isalpha", holds(/^[a-zA-Z]+$/)],
  ["isupper", holds(/^[^a-z]*[A-Z][^a-z]*$/)],
  ["islower", holds(/^[^A-Z]*[a-z][^A-Z]*$/)],
  ["isdigit", holds(/^[0-9]+$/)],
  ["isspace", holds(/^\s+$/)],
  ["isalnum", holds(/^[a-zA-Z0-9]+$/)],
  ["replace replaceAll", replaced],
  ["split", (text, by) => (by === undefined ? text.split(/\s+/) : text.split(`${by}`)).slice(0, MAX_ITEMS)],
  ["charAt at", (text, at) => (typeof at === "number" ? (text.at(at) ?? "") : undefined)],
  ["substr", (text, from, count) => text.substr(Number(from ?? 0), Number(count ?? text.length))],
  ["charCodeAt", (text, at) => text.charCodeAt(Number(at ?? 0))],
  ["codePointAt", (text, at) => text.codePointAt(Number(at ?? 0))],
  ["repeat", repeated],
  ["hex", (text) => Buffer.from(text, "latin1").toString("hex")],
]);
const CODES: ReadonlySet<string> = new Set(["charCodeAt", "codePointAt"]);

/** For single characters only, as in ciphers; a whole text may stand for others. */
function holds(pattern: RegExp): Method {
  return (text) => (text.length > 1 ? undefined : pattern.test(text));
}

function replaced(text: string, from: Plain, to: Plain): string | undefined {
  const [old, put] = [`${from ?? ""}`, `${to ?? ""}`];
  if (to === undefined || old === "") return undefined;
  return (text.length / old.length) * put.length > MAX_FOLDED_CHARACTERS * 4
    ? undefined
    : text.split(old).join(put);
}

function repeated(text: string, count: Plain): string | undefined {
  const isBounded = typeof count === "number" && count >= 0 && count * text.length <= MAX_FOLDED_CHARACTERS;
  return isBounded ? text.repeat(Math.floor(count)) : undefined;
}

function translated(
  receiver: Value,
  text: string,
  table: Value | undefined,
  taints: readonly Taint[],
): Value | undefined {
  const fields = table?.box?.fields;
  if (fields === undefined) return undefined;
  let changed = "";
  for (const character of text) {
    const entry = fields.get(character) ?? fields.get(String(character.codePointAt(0)));
    const code = entry?.number;
    if (code !== undefined && code >= 0 && code <= 0x10_ff_ff)
      changed += String.fromCodePoint(Math.trunc(code));
    else changed += entry === undefined ? character : (knownText(entry) ?? HOLE);
  }
  return made(receiver, changed, taints, true);
}

const CHARACTER_CODES: Taint = {
  source: { type: "decoded", encoding: "character codes" },
  steps: [],
  isDirect: true,
};

export function fromCodes({ positional }: Call): Value {
  const taints = taintsOfAll(positional);
  let text = "";
  for (const { number: code } of positional) {
    // Ordinary text is also read as codes that are known only at run time.
    if (code === undefined || code < 0 || code > 0x10_ff_ff || !Number.isInteger(code))
      return unknownWith(taints);
    text += String.fromCodePoint(code);
  }
  return { ...textValue(text, unionTaints(taints, [CHARACTER_CODES])), isBuilt: true };
}

export function bytesOf({ positional: [first] }: Call): Value {
  if (first === undefined) return { text: "", isBytes: true, taints: [] };
  if (first.text !== undefined) return { ...first, isBytes: true };
  const items = itemsOf(first);
  if (items === undefined || items.some((item) => item.number === undefined))
    return unknownWith(taintsOf(first));
  const text = String.fromCharCode(...items.slice(0, MAX_ITEMS).map((item) => (item.number ?? 0) & 0xff));
  const taints = unionTaints(taintsOf(first), [CHARACTER_CODES]);
  return { ...textValue(text, taints), isBuilt: true, isBytes: true };
}

export function decodeBytes(call: Call): Value {
  const { isBytes: _, ...plain } = bytesOf(call);
  return plain.text === undefined ? plain : { ...plain, text: decodeUtf8(plain.text) };
}
