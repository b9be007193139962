import { expect, test } from "vitest";
import { report } from "../trust/testing/skill-on-disk.ts";
import { summariseReport } from "./verdict-cache.ts";

test("the worst few findings are kept, without evidence, and every critical rule", () => {
  const base = report("dangerous", "rules").findings[0]!;
  const findings = [
    ...["EX1", "DX1", "EX1", "PI1", "UN1", "SE1"].map((rule) => ({
      ...base,
      rule,
      message: "m".repeat(400),
    })),
    { ...base, severity: "warn" as const },
    { ...base, severity: "info" as const },
  ];
  const summary = summariseReport({ ...report("dangerous", "rules"), findings });
  expect(summary).toEqual({
    verdict: "dangerous",
    counts: { critical: 6, warn: 1, info: 1 },
    findings: ["EX1", "DX1", "EX1", "PI1", "UN1"].map((rule) => ({
      rule,
      severity: "critical",
      file: "SKILL.md",
      line: 6,
      message: "m".repeat(300),
    })),
    criticalRules: ["DX1", "EX1", "PI1", "SE1", "UN1"],
  });
  expect(JSON.stringify(summary)).not.toContain("secret evidence");
});
