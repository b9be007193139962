import { isPlainText } from "@skillet/kit/text";
import fc from "fast-check";
import { expect, test } from "vitest";
import { codePointsWidth, makeVisible, plainWidth } from "./text.ts";

const plainCharacters = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter(
  isPlainText,
);

test("each plain character has the width that the long way gives it, and is shown as it is", () => {
  const odd = plainCharacters.filter(
    (character) =>
      plainWidth(character.charCodeAt(0)) !== codePointsWidth(character) ||
      makeVisible(character, " ") !== character,
  );
  expect(odd).toEqual([]);
  expect(plainCharacters.length).toBeGreaterThan(20_000);
});

test("plain characters never join: any text of them has as many user-perceived characters as code units", () => {
  const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...plainCharacters)), (characters) => {
      expect([...segmenter.segment(characters.join(""))].length).toBe(characters.length);
    }),
  );
});
