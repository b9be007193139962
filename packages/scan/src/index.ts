export type { Capabilities } from "./capability/list-capabilities.ts";
export type { FileCoverage, FileKind, Language, SkillFile } from "./file/file-kind.ts";
export type {
  Category,
  Finding,
  FindingSeverity,
  Rule,
  SuppressedFinding,
  Suppression,
} from "./finding/finding.ts";
export { owaspTitle } from "./finding/owasp.ts";
export { createJudge, type Judge } from "./judge/create-judge.ts";
export { judgeReport } from "./judge/judge-report.ts";
export { type RulePack, readRulePack } from "./pack/read-rule-pack.ts";
export { type Excerpt, type ExcerptLine, excerptsOf } from "./report/excerpts-of.ts";
export { HtmlWriter } from "./report/html-writer.ts";
export { SarifWriter } from "./report/sarif-writer.ts";
export { type RuleDescription, type ScanResult, type ScanSummary, ScanTally } from "./report/scan-result.ts";
export { ALL_RULES } from "./rule/all-rules.ts";
export { RULE_EXAMPLES, type RuleExample } from "./rule/rule-texts.ts";
export { DEFAULT_SCAN_LIMITS, type ScanLimits } from "./scan-limits.ts";
export type { Opinion, ScanReport, Verdict } from "./scan-report.ts";
export { RULE_SET } from "./scan-report.ts";
export { type ScanOptions, scanSkill } from "./scan-skill.ts";
export {
  applyBaseline,
  type Baseline,
  countGone,
  createBaseline,
  parseBaseline,
  renderBaseline,
  type SkillFindings,
} from "./suppress/baseline.ts";
export { readSuppressions, SuppressionUse } from "./suppress/suppressions.ts";
export { nameSkeleton } from "./text/fold-text.ts";
export { createVetter } from "./trust/create-vetter.ts";
export {
  type DecisionRequest,
  decide,
  deriveOrigin,
  type Provenance,
  type TrustDecision,
} from "./trust/decide.ts";
export { ScanningVetter, withheldReason } from "./trust/scanning-vetter.ts";
export { approvalHolds } from "./trust/skill-inspector.ts";
export type { FileScan, Inspection, ScannedSkill, Vetter, VetterOptions } from "./trust/vetter.ts";
export { decideVerdict, worseVerdict } from "./verdict/decide-verdict.ts";
