import { expect, test } from "vitest";
import { USUAL_THRESHOLD } from "../learned/example-tables.ts";
import { exampleShift } from "./judge-probability.ts";

test("examples lift a skill by no more than one point, whatever they say, and lower it as far as they say", () => {
  const nearest = exampleShift({ threshold: 0, nearness: 1 });
  expect(nearest).toBe(1);
  expect(exampleShift({ threshold: USUAL_THRESHOLD, nearness: 0.05 })).toBeLessThan(nearest);
  expect(exampleShift({ threshold: USUAL_THRESHOLD, nearness: -1 })).toBeLessThan(-2);
});
