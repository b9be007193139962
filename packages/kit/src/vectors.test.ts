import { expect, test } from "vitest";
import { loadVectors, similarity } from "./vectors.ts";
import { splitWords, stemWord } from "./words.ts";

const { vectorOf, wordVector } = await loadVectors();
const stems = (text: string): readonly string[] => splitWords(text).map(stemWord);
const likenessOf = (left: string, right: string): number => {
  const [one, other] = [vectorOf(stems(left)), vectorOf(stems(right))];
  return one === undefined || other === undefined ? 0 : similarity(one, other);
};

test("words of one subject are more alike than others", () => {
  expect(likenessOf("invoice", "receipt")).toBeGreaterThan(0.6);
  expect(likenessOf("upload", "download")).toBeGreaterThan(0.6);
  expect(likenessOf("invoice", "giraffe")).toBeLessThan(0.3);
});

test("a text is the mean of its words, and those that are not known count nothing", () => {
  expect(likenessOf("a soup with carrots", "recipes and cooking")).toBeGreaterThan(0.5);
  expect(likenessOf("soup qqqzzz", "soup")).toBeCloseTo(1, 5);
  expect(vectorOf(["qqqzzz", "", "\u{10ffff}", "!"])).toBeUndefined();
  expect(wordVector("qqqzzz")).toBeUndefined();
});

test("words weigh what they are given", () => {
  const [soup, loan] = [wordVector("soup"), wordVector("loan")];
  const mixed = vectorOf(["soup", "loan"], [3, 1]);
  expect(similarity(mixed!, soup!)).toBeGreaterThan(similarity(mixed!, loan!) + 0.3);
  expect(vectorOf(["soup", "loan"], [0, 0])).toBeUndefined();
});
