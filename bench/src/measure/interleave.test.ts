import { expect, test } from "vitest";
import { interleave } from "./interleave.ts";

test("every contestant runs once per round, in an order that rotates", async () => {
  const order: string[] = [];
  const contestants = ["a", "b", "c"].map((name) => ({ name, run: () => order.push(name) }));
  const times = await interleave(contestants, { rounds: 4 });
  expect(order.join("")).toBe("abcbcacababc");
  expect([...times].map(([name, values]) => [name, values.length])).toEqual([
    ["a", 4],
    ["b", 4],
    ["c", 4],
  ]);
});

test("preparation comes right before each run", async () => {
  const order: string[] = [];
  const run = async (): Promise<void> => {
    order.push("run");
  };
  await interleave([{ name: "a", prepare: () => order.push("prepare"), run }], { rounds: 2 });
  expect(order).toEqual(["prepare", "run", "prepare", "run"]);
});
