import { expect, test } from "vitest";
import { ScanTally } from "./scan-result.ts";
import { makeFinding, makeResult } from "./testing/make-result.ts";

test("verdicts, findings, dismissals and files that were not read whole are added up", () => {
  const tally = new ScanTally();
  tally.add(makeResult().report);
  tally.add(
    makeResult({
      report: {
        verdict: "dangerous",
        findings: [makeFinding(), makeFinding({ severity: "warn" }), makeFinding({ severity: "info" })],
        suppressed: [{ finding: makeFinding(), reason: "known" }],
        coverage: [
          { file: "SKILL.md", kind: "markdown", size: 1, state: "partly", reason: "r" },
          { file: "a", kind: "binary", size: 1, state: "unread", reason: "r" },
        ],
      },
    }).report,
  );
  expect(tally.summary).toEqual({
    skills: 2,
    verdicts: { safe: 1, caution: 0, dangerous: 1 },
    findings: { info: 1, warn: 1, critical: 1 },
    suppressed: 1,
    files: 3,
    notWholly: 2,
  });
});
