import { expect, test } from "vitest";
import { renderPasses, speedOf } from "./render-speed.ts";

const JUDGEMENT = { verdict: "safe", rules: [], places: [] } as const;

test("two passes stand beside each other, each with its own median and p95", () => {
  const first = speedOf([
    { ...JUDGEMENT, milliseconds: 8, cpuMilliseconds: 10 },
    { ...JUDGEMENT, milliseconds: 70, cpuMilliseconds: 90 },
  ]);
  const second = speedOf([{ ...JUDGEMENT, milliseconds: 4, cpuMilliseconds: 5 }]);
  expect(renderPasses(first, second)).toBe(
    "First pass: median 8.00 ms p95 70.0 ms (on the processor 10.00 and 90.0); second pass: median 4.00 ms p95 4.0 ms (on the processor 5.00 and 5.0)",
  );
});
