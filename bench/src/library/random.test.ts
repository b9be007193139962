import { expect, test } from "vitest";
import { createRandom } from "./random.ts";

test("the same seed gives the same numbers", () => {
  const [left, right, other] = [createRandom(7), createRandom(7), createRandom(8)];
  const numbers = Array.from({ length: 100 }, () => left.next());
  expect(Array.from({ length: 100 }, () => right.next())).toEqual(numbers);
  expect(Array.from({ length: 100 }, () => other.next())).not.toEqual(numbers);
});

test("numbers between two bounds reach both and nothing beyond", () => {
  const random = createRandom(1);
  const numbers = new Set(Array.from({ length: 200 }, () => random.between(3, 5)));
  expect([...numbers].toSorted()).toEqual([3, 4, 5]);
});

test("values from quantiles have the distribution they were given", () => {
  const random = createRandom(1);
  const values = Array.from({ length: 10_000 }, () =>
    random.fromQuantiles([
      [0, 10],
      [0.5, 100],
      [1, 1000],
    ]),
  ).toSorted((left, right) => left - right);
  expect(values[0]).toBeGreaterThanOrEqual(10);
  expect(values.at(-1)).toBeLessThanOrEqual(1000);
  expect(values[5000]).toBeGreaterThan(90);
  expect(values[5000]).toBeLessThan(110);
});
