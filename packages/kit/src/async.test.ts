import { expect, test } from "vitest";
import { atOnce, inSlices, onceUntilSuccess } from "./async.ts";

test("what worked is made once, for all who ask", async () => {
  let times = 0;
  const get = onceUntilSuccess(async () => {
    times += 1;
    return { times };
  });
  const [first, second] = await Promise.all([get(), get()]);
  expect(second).toBe(first);
  expect(await get()).toBe(first);
  expect(times).toBe(1);
});

test("what is no success is made again by the next call", async () => {
  let times = 0;
  const get = onceUntilSuccess(
    async () => {
      times += 1;
      return times;
    },
    (value) => value > 1,
  );
  expect(await Promise.all([get(), get()])).toEqual([1, 1]);
  expect([await get(), await get()]).toEqual([2, 2]);
});

test("what failed is told to all who waited for it, and tried again by the next", async () => {
  let times = 0;
  const get = onceUntilSuccess(async () => {
    times += 1;
    if (times === 1) throw new Error("no room");
    return times;
  });
  const both = await Promise.allSettled([get(), get()]);
  expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await get()).toBe(2);
});

test("work in slices lets others have their turn, and gives what it gives at once", async () => {
  const count = function* (): Generator<undefined, number> {
    let sum = 0;
    for (let number = 0; number < 1_000; number += 1) {
      sum += number;
      yield;
    }
    return sum;
  };
  expect(await inSlices(count())).toBe(atOnce(count()));
  let isOver = false;
  setImmediate(() => {
    isOver = true;
  });
  const waiting = function* (): Generator<undefined, string> {
    while (!isOver) yield;
    return "over";
  };
  expect(await inSlices(waiting())).toBe("over");
});
