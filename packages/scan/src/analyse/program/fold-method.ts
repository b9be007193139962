import { type Call, itemsOf, MAX_ITEMS } from "./call.ts";
import { decodeUtf8 } from "./decode-constant.ts";
import { byName } from "./fold-arithmetic.ts";
import { foldListMethod } from "./fold-list-method.ts";
import { collapseHoles, foldSlice, plainTextOf } from "./fold-operator.ts";
import type { Machine } from "./machine.ts";
import {
  HOLE,
  knownText,
  listValue,
  MAX_FOLDED_CHARACTERS,
  type Taint,
  taintsOf,
  taintsOfAll,
  textValue,
  unionTaints,
  type Value,
} from "./value.ts";

export function foldMethod(machine: Machine, call: Call): Value | undefined {
  const { property } = call.callee;
  if (property === undefined) return undefined;
  const { receiver } = call;
  if (receiver.box !== undefined) return foldListMethod(machine, call, property);
  if (property === "join" && receiver.text !== undefined) return joinTexts(call.positional[0], receiver);
  if (property === "format" && receiver.text !== undefined) return formatBraces(call, receiver);
  const text = knownText(receiver);
  if (text === undefined) return undefined;
  return foldText(call, property, text);
}

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
  const isRearranged = items.some((item) => item.isRearranged === true) ? { isRearranged: true } : {};
  const joined: Value = { ...textValue(collapseHoles(text), taints), isBuilt: true, ...isRearranged };
  return separator.isBytes === true ? { ...joined, isBytes: true } : joined;
}

function foldText(call: Call, property: string, text: string): Value | undefined {
  const { receiver } = call;
  const change = CHANGES.get(property);
  // Trimming and changing case hide nothing.
  if (change !== undefined) return { ...receiver, text: change(text) };
  const taints = unionTaints(taintsOf(receiver), taintsOfAll(call.positional));
  return TEXT_METHODS.get(property)?.(text, call.positional, receiver, taints);
}

type TextMethod = (
  text: string,
  values: readonly Value[],
  receiver: Value,
  taints: readonly Taint[],
) => Value | undefined;

const TEXT_METHODS: ReadonlyMap<string, TextMethod> = byName<TextMethod>([
  [
    "encode",
    (text, _, receiver) => ({
      ...receiver,
      text: Buffer.from(text, "utf8").toString("latin1"),
      isBytes: true,
    }),
  ],
  ["decode toString", (text, _, receiver) => plainText(text, receiver)],
  ["index find indexOf", placeOf],
  ["rfind lastIndexOf", (text, [part]) => foundAt(part, (known) => text.lastIndexOf(known))],
  ["includes", (text, [part]) => foundAt(part, (known) => (text.includes(known) ? 1 : 0))],
  ["startswith", (text, [part]) => foundAt(part, (known) => (text.startsWith(known) ? 1 : 0))],
  ["isalpha", (text) => holds(text, /^[a-zA-Z]+$/)],
  ["isupper", (text) => holds(text, /^[^a-z]*[A-Z][^a-z]*$/)],
  ["islower", (text) => holds(text, /^[^A-Z]*[a-z][^A-Z]*$/)],
  ["isdigit", (text) => holds(text, /^[0-9]+$/)],
  ["isspace", (text) => holds(text, /^\s+$/)],
  ["isalnum", (text) => holds(text, /^[a-zA-Z0-9]+$/)],
  ["translate", translateText],
  ["replace replaceAll", replaceText],
  ["split", splitText],
  ["slice substring", (_, [from, to], receiver) => foldSlice(receiver, [from, to])],
  [
    "substr",
    (_, [from, count], receiver) => {
      const end = count?.number === undefined ? undefined : (from?.number ?? 0) + count.number;
      return foldSlice(receiver, [from, end === undefined ? undefined : { number: end, taints: [] }]);
    },
  ],
  ["charAt at", characterAt],
  ["charCodeAt", (text, [at], _, taints) => ({ number: text.charCodeAt(at?.number ?? 0), taints })],
  ["codePointAt", (text, [at], _, taints) => ({ number: text.codePointAt(at?.number ?? 0) ?? 0, taints })],
  [
    "concat",
    (text, values, receiver, taints) =>
      madeText(text + values.map((part) => plainTextOf(part) ?? HOLE).join(""), receiver, taints),
  ],
  ["repeat", repeatText],
  [
    "hex",
    (text, _, receiver, taints) => madeText(Buffer.from(text, "latin1").toString("hex"), receiver, taints),
  ],
]);

function madeText(text: string, receiver: Value, taints: readonly Taint[]): Value {
  const made: Value = { ...textValue(text, taints), isBuilt: true };
  return receiver.isBytes === true ? { ...made, isBytes: true } : made;
}

function plainText(text: string, receiver: Value): Value {
  const { isBytes: _, ...plain } = receiver;
  return { ...plain, text: decodeUtf8(text) };
}

function replaceText(
  text: string,
  [first, second]: readonly Value[],
  receiver: Value,
  taints: readonly Taint[],
): Value | undefined {
  const from = first === undefined ? undefined : knownText(first);
  const to = second === undefined ? undefined : knownText(second);
  if (from === undefined || to === undefined || from === "") return undefined;
  if ((text.length / from.length) * to.length > MAX_FOLDED_CHARACTERS * 4) return undefined;
  const made = madeText(text.split(from).join(to), receiver, taints);
  // Letters that are thrown in to break words up are thrown out again.
  return to === "" ? { ...made, isRearranged: true } : made;
}

function placeOf(text: string, [part, from]: readonly Value[]): Value | undefined {
  return foundAt(part, (known) => text.indexOf(known, from?.number ?? 0));
}

function foundAt(part: Value | undefined, search: (known: string) => number): Value | undefined {
  const known = part === undefined || part.isParameter === true ? undefined : knownText(part);
  return known === undefined ? undefined : { number: search(known), taints: [] };
}

function holds(text: string, pattern: RegExp): Value | undefined {
  // Of one character at a time, as ciphers ask; whole texts may stand for others.
  return text.length > 1 ? undefined : { number: pattern.test(text) ? 1 : 0, taints: [] };
}

function translateText(
  text: string,
  [table]: readonly Value[],
  receiver: Value,
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
  return { ...madeText(changed, receiver, taints), isRearranged: true };
}

function splitText(
  text: string,
  [separator]: readonly Value[],
  receiver: Value,
  taints: readonly Taint[],
): Value | undefined {
  const by = separator === undefined ? undefined : knownText(separator);
  if (separator !== undefined && by === undefined) return undefined;
  const parts = by === undefined ? text.split(/\s+/) : by === "" ? Array.from(text) : text.split(by);
  const isRearranged = receiver.isRearranged === true ? { isRearranged: true } : {};
  return listValue(
    parts.slice(0, MAX_ITEMS).map((part) => ({ text: part, taints, isBuilt: true, ...isRearranged })),
  );
}

function characterAt(
  text: string,
  [at]: readonly Value[],
  receiver: Value,
  taints: readonly Taint[],
): Value | undefined {
  return at?.number === undefined ? undefined : madeText(text.at(at.number) ?? "", receiver, taints);
}

function repeatText(
  text: string,
  [times]: readonly Value[],
  receiver: Value,
  taints: readonly Taint[],
): Value | undefined {
  const count = times?.number;
  if (count === undefined || !(count >= 0) || count * text.length > MAX_FOLDED_CHARACTERS) return undefined;
  return madeText(text.repeat(Math.floor(count)), receiver, taints);
}

const CHANGES: ReadonlyMap<string, (text: string) => string> = byName([
  ["lower toLowerCase", (text: string) => text.toLowerCase()],
  ["upper toUpperCase", (text: string) => text.toUpperCase()],
  ["strip trim", (text: string) => text.trim()],
  ["rstrip", (text: string) => text.trimEnd()],
  ["lstrip", (text: string) => text.trimStart()],
  ["swapcase", (text: string) => text.replace(/[a-zA-Z]/g, swapCase)],
]);

function swapCase(letter: string): string {
  return letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
}

function formatBraces(call: Call, receiver: Value): Value {
  let next = 0;
  const text = (receiver.text ?? "").replace(
    /\{(\w{0,40})(?:![a-z])?(?::[^{}]{0,20})?\}/g,
    (_, name: string) => {
      const value =
        name === ""
          ? call.positional[next++]
          : /^\d+$/.test(name)
            ? call.positional[Number(name)]
            : call.keywords.get(name);
      return value === undefined ? HOLE : (plainTextOf(value) ?? HOLE);
    },
  );
  const taints = unionTaints(
    taintsOf(receiver),
    taintsOfAll(call.positional),
    taintsOfAll(call.keywords.values()),
  );
  return { ...textValue(collapseHoles(text), taints), isBuilt: true };
}
