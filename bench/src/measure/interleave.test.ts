import { expect, test } from "vitest";
import { interleave } from "./interleave.ts";

test("every contestant has one turn per round, in an order that rotates", async () => {
  const order: string[] = [];
  const contestants = ["a", "b", "c"].map((name) => ({
    name,
    turn: () => ({ cpuMs: order.push(name), wallMs: 0 }),
  }));
  const costs = await interleave(contestants, { rounds: 4 });
  expect(order.join("")).toBe("abcbcacababc");
  expect([...costs].map(([name, values]) => [name, values.map(({ cpuMs }) => cpuMs)])).toEqual([
    ["a", [1, 6, 8, 10]],
    ["b", [2, 4, 9, 11]],
    ["c", [3, 5, 7, 12]],
  ]);
});
