import { expect, test } from "vitest";
import { chooseFairly, type PlacedPattern } from "./choose-fairly.ts";

const patternsOf = (owner: string, count: number, bringer = "local"): PlacedPattern[] =>
  Array.from({ length: count }, (_, index) => ({
    place: 0,
    skill: 0,
    owner,
    bringer,
    source: `${owner}-${index}`,
  }));

const each = { costOf: () => 10, budget: 1_000 };

test("within a budget the first pattern of every skill comes before the second of any, whoever was indexed first", () => {
  const greedy = patternsOf("aaa", 1_000);
  const others = Array.from({ length: 60 }, (_, index) =>
    patternsOf(`s${String(index).padStart(3, "0")}`, 2),
  ).flat();
  const chosen = chooseFairly([...greedy, ...others], each);
  expect(chosen.length).toBe(100);
  expect(chosen.filter(({ source }) => /^s\d+-0$/.test(source)).length).toBe(60);
  expect(chosen.filter(({ owner }) => owner === "aaa").length).toBe(2);
  expect(chooseFairly([...others, ...greedy], each)).toEqual(chosen);
});

test("a plugin of a thousand skills takes no place from what others brought", () => {
  const flood = Array.from({ length: 1_000 }, (_, index) => patternsOf(`aaa-${index}`, 1, "flood")).flat();
  const victim = patternsOf("ticket-reader", 3);
  const chosen = chooseFairly([...flood, ...victim], each);
  expect(chosen.filter(({ owner }) => owner === "ticket-reader").length).toBe(3);
  expect(chosen.length).toBe(100);
});

test("who has costly patterns has fewer of them tried", () => {
  const costOf = (source: string): number => (source.startsWith("fat") ? 200 : 10);
  const fat = patternsOf("fat", 10, "one");
  const thin = patternsOf("thin", 10, "two");
  const chosen = chooseFairly([...fat, ...thin], { costOf, budget: 500 });
  expect(chosen.filter(({ owner }) => owner === "thin").length).toBe(10);
  expect(chosen.filter(({ owner }) => owner === "fat").length).toBe(2);
});
