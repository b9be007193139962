import { isPlainText } from "@skillet/kit/text";
import { expect, test } from "vitest";
import { CONTROL, DIRECTION, INVISIBLE } from "./text.ts";

const control = new RegExp(`[${CONTROL}]`, "u");
const direction = new RegExp(`[${DIRECTION}]`, "u");
const invisible = new RegExp(`[${INVISIBLE}]`, "u");

const LAST = 0x10_ff_ff;
function codePoints(matches: (character: string) => boolean): string[] {
  const found: string[] = [];
  for (let codePoint = 0; codePoint <= LAST; codePoint += 1) {
    if (matches(String.fromCodePoint(codePoint))) found.push(codePoint.toString(16));
  }
  return found;
}

test("nothing that Unicode calls a control, a separator of lines, ignorable or a direction is left out", () => {
  const listed = (character: string): boolean => control.test(character) || invisible.test(character);
  const unicode = /[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\uFFF9-\uFFFB]/u;
  expect(codePoints((character) => unicode.test(character) !== listed(character))).toEqual([]);
});

test("the direction is turned by what Unicode says turns it", () => {
  expect(
    codePoints((character) => /\p{Bidi_Control}/u.test(character) !== direction.test(character)),
  ).toEqual([]);
});

test("no plain text holds any of them", () => {
  const unseen = (character: string): boolean => control.test(character) || invisible.test(character);
  expect(codePoints((character) => unseen(character) && isPlainText(character))).toEqual([]);
});
