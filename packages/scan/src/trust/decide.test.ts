import fc from "fast-check";
import { expect, test } from "vitest";
import { decide } from "./decide.ts";

const ORIGINS = ["builtin", "trusted", "community", "agent-created", "organisation", "local"];
const VERDICTS = ["safe", "caution", "dangerous"];

const table = (force: boolean): string[] =>
  ORIGINS.map((origin) => {
    const cells = VERDICTS.map((verdict) => {
      const { outcome, notice } = decide({ origin, verdict, force });
      return notice ? `${outcome} with a notice` : outcome;
    });
    return `${origin}: ${cells.join(", ")}`;
  });

test("every cell of the matrix is as the table says", () => {
  expect(table(false)).toEqual([
    "builtin: allow, allow, allow",
    "trusted: allow, allow, block",
    "community: allow, block, block",
    "agent-created: allow, allow, ask",
    "organisation: allow, allow, ask",
    "local: allow, allow with a notice, ask",
  ]);
});

test("force lifts one block and answers questions, and nothing else", () => {
  expect(table(true)).toEqual([
    "builtin: allow, allow, allow",
    "trusted: allow, allow, block",
    "community: allow, allow, block",
    "agent-created: allow, allow, allow",
    "organisation: allow, allow, allow",
    "local: allow, allow with a notice, allow",
  ]);
});

test("a decision is forceable exactly where force changes it", () => {
  for (const origin of ORIGINS)
    for (const verdict of VERDICTS) {
      const plain = decide({ origin, verdict, force: false });
      const forced = decide({ origin, verdict, force: true });
      expect([origin, verdict, plain.forceable]).toEqual([origin, verdict, plain.outcome !== forced.outcome]);
      expect(forced.forceable).toBe(plain.forceable);
    }
});

test("an origin that is not known is the community's, and a verdict that is not known is dangerous", () => {
  const other = fc.oneof(
    fc.string(),
    fc.constantFrom("__proto__", "constructor", "toString", "Safe", "SAFE"),
  );
  fc.assert(
    fc.property(other, other, fc.boolean(), (origin, verdict, force) => {
      fc.pre(!ORIGINS.includes(origin) && !VERDICTS.includes(verdict));
      expect(decide({ origin, verdict: "caution", force })).toEqual(
        decide({ origin: "community", verdict: "caution", force }),
      );
      expect(decide({ origin: "local", verdict, force })).toEqual(
        decide({ origin: "local", verdict: "dangerous", force }),
      );
      expect(decide({ origin, verdict, force }).outcome).toBe("block");
    }),
  );
});
