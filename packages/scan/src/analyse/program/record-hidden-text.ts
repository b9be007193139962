import { guessLanguage } from "../../text/guess-language.ts";
import { decodeUtf8 } from "./decode-constant.ts";
import type { Machine } from "./machine.ts";
import type { Span } from "./program-tree.ts";
import { knownText, type Taint, type Value } from "./value.ts";

/** Shorter texts hold no command with an address. */
const MIN_CHARACTERS = 16;

/**
 * Hands on a text that the program computed from constants, so that nobody could read it before: what a program prints,
 * returns or writes is what a model follows next, even where nothing runs it here.
 */
export function recordHiddenText(machine: Machine, span: Span, value: Value): string | undefined {
  if (value.text === undefined || value.text.length < MIN_CHARACTERS) return undefined;
  if (value.isRearranged !== true && !value.taints.some(isComputed)) return undefined;
  const known = knownText(value);
  const text = known === undefined ? undefined : decodeUtf8(known);
  if (text === undefined || !isReadable(text) || machine.recorder.holds(text)) return undefined;
  if (!machine.recorder.hasHanded(text))
    machine.recorder.text(span, text, guessLanguage(text), ["decoded by the program"]);
  return text;
}

function isComputed({ source }: Taint): boolean {
  return source.type === "decoded";
}

/** Whether people could read a text: hardly any control characters, and none that stand for what is not text. */
export function isReadable(text: string): boolean {
  const end = Math.min(text.length, 512);
  let odd = 0;
  for (let index = 0; index < end; index++) {
    const code = text.charCodeAt(index);
    if (code === 0xfffd) return false;
    if (code < 0x20 && !(code >= 0x09 && code <= 0x0d)) odd++;
  }
  return odd * 20 < end;
}
