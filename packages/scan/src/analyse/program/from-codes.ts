import type { Call } from "./call.ts";
import { decodeUtf8 } from "./decode-constant.ts";
import { itemsOf } from "./items-of.ts";
import {
  type Taint,
  taintsOf,
  taintsOfAll,
  textValue,
  unionTaints,
  unknownWith,
  type Value,
} from "./value.ts";

/** The text that character codes spell. */
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

/** The bytes that a list of numbers is. */
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

/** Bytes in a list read as text. */
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
