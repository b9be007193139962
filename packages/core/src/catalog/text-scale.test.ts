import fc from "fast-check";
import { expect, test } from "vitest";
import { CATALOG_FORMATS, formOf } from "./create-catalog.ts";
import { arbitraryText } from "./testing/arbitrary-catalog.ts";
import { countCodePoints, createTextScale } from "./text-scale.ts";

const UNITS = { characters: (text: string) => text.length, bytes: (text: string) => Buffer.byteLength(text) };

test("the first code points of any text weigh what they weigh once they are escaped", () => {
  const arbitraryWords = fc.oneof(arbitraryText, fc.string({ unit: "binary" }));
  fc.assert(
    fc.property(
      fc.constantFrom(...CATALOG_FORMATS.map(formOf)),
      fc.constantFrom(...Object.values(UNITS)),
      fc.array(arbitraryWords, { minLength: 1, maxLength: 3 }),
      (form, weigh, texts) => {
        // One scale for all of them: what it remembers of one text must hold for the next.
        const scale = createTextScale(form.escapeText, weigh);
        for (const given of texts) {
          const text = form.layOut(given);
          const points = Array.from(text);
          expect(countCodePoints(text)).toBe(points.length);
          const expected = points.map((_, count) => weigh(form.escapeText(points.slice(0, count).join(""))));
          expect(points.map((_, count) => scale.weighFirst(text, count))).toEqual(expected);
          const sums = new Float64Array(points.length);
          scale.addWeights(sums, { text, codePoints: points.length }, points.length);
          expect(Array.from(sums)).toEqual(points.map((point) => weigh(form.escapeText(point))));
        }
      },
    ),
  );
});
