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
  return TEXT_METHODS.get(property)?.({ text, values: call.positional, receiver, taints });
}

interface TextCall {
  readonly text: string;
  readonly values: readonly Value[];
  readonly receiver: Value;
  readonly taints: readonly Taint[];
}

type TextMethod = (call: TextCall) => Value | undefined;

const TEXT_METHODS: ReadonlyMap<string, TextMethod> = byName<TextMethod>([
  [
    "encode",
    ({ text, receiver }) => ({ ...receiver, text: Buffer.from(text).toString("latin1"), isBytes: true }),
  ],
  ["decode toString", plainText],
  [
    "index find indexOf",
    ({ text, values: [part, from] }) => found(part, (it) => text.indexOf(it, from?.number ?? 0)),
  ],
  ["rfind lastIndexOf", ({ text, values: [part] }) => found(part, (it) => text.lastIndexOf(it))],
  ["includes", ({ text, values: [part] }) => found(part, (it) => (text.includes(it) ? 1 : 0))],
  ["startswith", ({ text, values: [part] }) => found(part, (it) => (text.startsWith(it) ? 1 : 0))],
  ["isalpha", holds(/^[a-zA-Z]+$/)],
  ["isupper", holds(/^[^a-z]*[A-Z][^a-z]*$/)],
  ["islower", holds(/^[^A-Z]*[a-z][^A-Z]*$/)],
  ["isdigit", holds(/^[0-9]+$/)],
  ["isspace", holds(/^\s+$/)],
  ["isalnum", holds(/^[a-zA-Z0-9]+$/)],
  ["translate", translateText],
  ["replace replaceAll", replaceText],
  ["split", splitText],
  ["slice substring", ({ values: [from, to], receiver }) => foldSlice(receiver, [from, to])],
  [
    "substr",
    ({ values: [from, count], receiver }) => {
      const end = count?.number === undefined ? undefined : (from?.number ?? 0) + count.number;
      return foldSlice(receiver, [from, end === undefined ? undefined : { number: end, taints: [] }]);
    },
  ],
  [
    "charAt at",
    (call) =>
      call.values[0]?.number === undefined
        ? undefined
        : made(call, call.text.at(call.values[0].number) ?? ""),
  ],
  ["charCodeAt", ({ text, values: [at], taints }) => ({ number: text.charCodeAt(at?.number ?? 0), taints })],
  [
    "codePointAt",
    ({ text, values: [at], taints }) => ({ number: text.codePointAt(at?.number ?? 0) ?? 0, taints }),
  ],
  ["concat", (call) => made(call, call.text + call.values.map((part) => plainTextOf(part) ?? HOLE).join(""))],
  ["repeat", repeatText],
  ["hex", (call) => made(call, Buffer.from(call.text, "latin1").toString("hex"))],
]);

function made({ receiver, taints }: TextCall, text: string): Value {
  const value: Value = { ...textValue(text, taints), isBuilt: true };
  return receiver.isBytes === true ? { ...value, isBytes: true } : value;
}

function plainText({ text, receiver }: TextCall): Value {
  const { isBytes: _, ...plain } = receiver;
  return { ...plain, text: decodeUtf8(text) };
}

function replaceText(call: TextCall): Value | undefined {
  const { text, values } = call;
  const [from, to] = values.map(knownText);
  if (from === undefined || to === undefined || from === "") return undefined;
  if ((text.length / from.length) * to.length > MAX_FOLDED_CHARACTERS * 4) return undefined;
  const value = made(call, text.split(from).join(to));
  // Letters that are thrown in to break words up are thrown out again.
  return to === "" ? { ...value, isRearranged: true } : value;
}

function found(part: Value | undefined, search: (known: string) => number): Value | undefined {
  const known = part === undefined || part.isParameter === true ? undefined : knownText(part);
  return known === undefined ? undefined : { number: search(known), taints: [] };
}

/** Of one character at a time, as ciphers ask; whole texts may stand for others. */
function holds(pattern: RegExp): TextMethod {
  return ({ text }) => (text.length > 1 ? undefined : { number: pattern.test(text) ? 1 : 0, taints: [] });
}

function translateText(call: TextCall): Value | undefined {
  const fields = call.values[0]?.box?.fields;
  if (fields === undefined) return undefined;
  let changed = "";
  for (const character of call.text) {
    const entry = fields.get(character) ?? fields.get(String(character.codePointAt(0)));
    const code = entry?.number;
    if (code !== undefined && code >= 0 && code <= 0x10_ff_ff)
      changed += String.fromCodePoint(Math.trunc(code));
    else changed += entry === undefined ? character : (knownText(entry) ?? HOLE);
  }
  return { ...made(call, changed), isRearranged: true };
}

function splitText({ text, values: [separator], receiver, taints }: TextCall): Value | undefined {
  const by = separator === undefined ? undefined : knownText(separator);
  if (separator !== undefined && by === undefined) return undefined;
  const parts = by === undefined ? text.split(/\s+/) : by === "" ? Array.from(text) : text.split(by);
  const isRearranged = receiver.isRearranged === true ? { isRearranged: true } : {};
  return listValue(
    parts.slice(0, MAX_ITEMS).map((part) => ({ text: part, taints, isBuilt: true, ...isRearranged })),
  );
}

function repeatText(call: TextCall): Value | undefined {
  const count = call.values[0]?.number;
  if (count === undefined || !(count >= 0) || count * call.text.length > MAX_FOLDED_CHARACTERS)
    return undefined;
  return made(call, call.text.repeat(Math.floor(count)));
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
