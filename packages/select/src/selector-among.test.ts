import { expect, test } from "vitest";
import { createSelector } from "./create-selector.ts";
import { makeSkill, writeHeader } from "./testing/make-skill.ts";

test("a selector among some skills finds them, however many others fit better", async () => {
  const many = Array.from({ length: 400 }, (_, number) =>
    makeSkill(writeHeader(`invoice-${number}`, `Checks invoice totals of series ${number}.`)),
  );
  const one = makeSkill(writeHeader("archive", "Moves papers and invoice scans into boxes."));
  const whole = await createSelector([...many, one]);
  const message = "check the totals of this invoice";
  expect(whole.select(message, { limit: 50 }).map(({ skill }) => skill)).not.toContain(one);
  const among = whole.among((skill) => skill === one || skill === many[7]);
  expect(among.select(message).map(({ skill }) => skill.name)).toEqual(["invoice-7", "archive"]);
  expect(among.among((skill) => skill === one).select(message)).toHaveLength(1);
  expect(among.among(() => false).decide(message).action).toBe("nothing");
  expect(whole.select(message, { limit: 50 })).toHaveLength(50);
});
