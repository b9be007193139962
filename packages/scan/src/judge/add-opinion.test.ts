import { expect, test } from "vitest";
import { addOpinion } from "./add-opinion.ts";

const opinion = (by: string, verdict: string) => ({ by, verdict, reasons: [] });

test("an opinion takes the place of the same judge's, and of nobody else's", () => {
  const known = [opinion("a", "dangerous"), opinion("b", "safe")];
  expect(addOpinion(known, opinion("b", "caution"))).toEqual([
    opinion("a", "dangerous"),
    opinion("b", "caution"),
  ]);
  expect(addOpinion(known, undefined)).toBe(known);
});

test("of more opinions than are kept, the mildest go", () => {
  const safe = Array.from({ length: 8 }, (_, at) => opinion(`s${at}`, "safe"));
  const kept = addOpinion([...safe, opinion("x", "dangerous")], opinion("y", "safe"));
  expect(kept.map(({ by }) => by)).toEqual(["s0", "s1", "s2", "s3", "s4", "s5", "x", "y"]);
});
