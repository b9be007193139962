import type { Approval } from "@skillet/core/internal";
import { expect, test } from "vitest";
import { approvalHolds } from "./skill-inspector.ts";

const approval = (verdict: string, criticalRules: readonly string[]): Approval => ({
  digest: `sha256:${"0".repeat(64)}`,
  skill: "x",
  verdict,
  criticalRules,
  forced: false,
  approvedAt: "2026-01-01T00:00:00.000Z",
});

test.each([
  ["the same word", approval("dangerous", ["EX1"]), "dangerous", ["EX1"], true],
  ["a better word", approval("dangerous", ["EX1", "PI1"]), "caution", [], true],
  ["fewer rules", approval("dangerous", ["EX1", "PI1"]), "dangerous", ["PI1"], true],
  ["a worse word", approval("caution", []), "dangerous", ["EX1"], false],
  ["another rule", approval("dangerous", ["EX1"]), "dangerous", ["DX1", "EX1"], false],
  ["a word that nobody knows", approval("caution", []), "catastrophic", [], false],
])("a yes meets %s of the rules", (_what, given, verdict, criticalRules, holds) => {
  expect(approvalHolds(given, { verdict, criticalRules })).toBe(holds);
});
