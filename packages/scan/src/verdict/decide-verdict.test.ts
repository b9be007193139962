import { expect, test } from "vitest";
import type { FileCoverage } from "../file/file-kind.ts";
import type { Finding, FindingSeverity } from "../finding/finding.ts";
import { decideVerdict } from "./decide-verdict.ts";

const finding = (severity: FindingSeverity): Finding => ({
  rule: "EX1",
  category: "execution",
  severity,
  file: "SKILL.md",
  line: 1,
  message: "",
  evidence: "",
  chain: [],
  remedy: "",
  owasp: [],
  fingerprint: "",
});
const covered = (state: FileCoverage["state"]): FileCoverage => ({
  file: "SKILL.md",
  kind: "markdown",
  size: 1,
  state,
});

test.each<[FindingSeverity[], FileCoverage["state"], string]>([
  [[], "read", "safe"],
  [["info"], "read", "safe"],
  [["info", "warn"], "read", "caution"],
  [["warn", "critical", "info"], "read", "dangerous"],
  [[], "partly", "caution"],
  [[], "unread", "caution"],
  [["critical"], "unread", "dangerous"],
])("findings %j in a file that was %s are %s", (severities, state, verdict) => {
  expect(decideVerdict(severities.map(finding), [covered(state)])).toBe(verdict);
});
