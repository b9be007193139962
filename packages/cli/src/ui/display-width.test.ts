import { expect, test } from "vitest";
import { displayWidth } from "./display-width.ts";

test.each([
  ["", 0],
  ["skill", 5],
  ["naïve", 5],
  ["e\u0301", 1],
  ["技能", 4],
  ["ｆｕｌｌ", 8],
  ["한글", 4],
  ["\u1112\u1161\u11ab", 2],
  ["✓", 1],
  ["✅", 2],
  ["❤️", 2],
  ["👩‍👩‍👧‍👦", 2],
  ["🇩🇪", 2],
  ["👍🏽", 2],
  ["a\u200bb", 2],
  ["ไทย", 3],
])("%s takes %i columns", (text, columns) => {
  expect(displayWidth(text)).toBe(columns);
});
