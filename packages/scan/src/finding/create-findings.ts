import { hash } from "node:crypto";
import { compareByteOrder } from "@skillet/kit/order";
import type { Finding, FindingSeverity, Rule, RuleHit } from "./finding.ts";
import { showEvidence, showSecretEvidence } from "./show-evidence.ts";

/** The worst finding per line. Identical words count once, as baselines and dismissals know them. */
export function createFindings(rule: Rule, hits: readonly RuleHit[]): Finding[] {
  const lines = new Set<string>();
  const findings = new Map<string, Finding>();
  for (const finding of hits.map((hit) => createFinding(rule, hit)).toSorted(byWeight)) {
    const { file, line, fingerprint } = finding;
    if (lines.size === lines.add(`${file}\0${line}`).size) continue;
    const first = findings.get(fingerprint);
    const related = [...(first?.related ?? []), { file, line }].slice(0, MAX_RELATED);
    findings.set(fingerprint, first === undefined ? finding : { ...first, related });
  }
  return Array.from(findings.values());
}

export function rankFindings(findings: readonly Finding[]): Finding[] {
  return findings.toSorted(
    (left, right) =>
      byWeight(left, right) ||
      compareByteOrder(left.rule, right.rule) ||
      compareByteOrder(left.message, right.message),
  );
}

function byWeight(left: Finding, right: Finding): number {
  const bySeverity = RANK[right.severity] - RANK[left.severity];
  return bySeverity || compareByteOrder(left.file, right.file) || left.line - right.line;
}

/** Most places listed with one finding; after that many, a reader looks for the rest. */
const MAX_RELATED = 20;

const RANK: Readonly<Record<Finding["severity"], number>> = { info: 0, warn: 1, critical: 2 };

function createFinding(rule: Rule, hit: RuleHit): Finding {
  const { severity, demoted } = applyContext(rule, hit);
  const lowered = demoted ?? (severity === "info" && rule.severity !== "info" ? ALONE : undefined);
  const { file, line, chain, snippet } = hit.place;
  return {
    rule: rule.id,
    category: rule.category,
    severity,
    file,
    line,
    message: tidyMessage(showEvidence(hit.message)),
    evidence: rule.category === "credentials" ? showSecretEvidence(snippet) : showEvidence(snippet),
    chain,
    ...(hit.related?.length && {
      related: hit.related.map((other) => ({ file: other.file, line: other.line })),
    }),
    // A finding below its rule's severity always says why, even if the rule gave no reason.
    ...(lowered !== undefined && { demoted: lowered }),
    remedy: rule.remedy,
    owasp: rule.owasp,
    fingerprint: fingerprint(rule.id, file, snippet),
  };
}

const ALONE = "by itself it is ordinary, and nothing else here makes an attack of it";

// Messages often end with words of the skill; they are put on one line without a full stop.
function tidyMessage(message: string): string {
  const line = message.replaceAll(/\s+/g, " ").trim();
  return line.endsWith(".") && !line.endsWith("..") ? line.slice(0, -1) : line;
}

// Whitespace is collapsed, so that a finding survives reformatting.
function fingerprint(rule: string, file: string, snippet: string): string {
  const plain = snippet.replaceAll(/\s+/g, " ").trim();
  return hash("sha256", `${rule}\0${file}\0${plain}`, "hex").slice(0, FINGERPRINT_DIGITS);
}

const FINGERPRINT_DIGITS = 32;

/**
 * Lowers what is not the document's own statement (a specimen, something forbidden, an unused fixture). It
 * works by span, never for a whole skill, and the finding says why.
 */
export function applyContext(
  rule: Rule,
  hit: RuleHit,
): { readonly severity: FindingSeverity; readonly demoted?: string } {
  const { severity, place, demoted } = hit;
  const reason = place.stance === "live" ? place.isFixture && IN_TESTS : STANCE_REASONS[place.stance];
  // A heading or an introduction costs an attacker nothing, and a so-called example can still be followed.
  const { least = severity === "critical" && place.stance === "example" ? "warn" : "info" } = hit;
  if (reason === false || RANK[severity] <= RANK[least] || NEVER_LOWERED.has(rule.id))
    return { severity, ...(demoted !== undefined && { demoted }) };
  return { severity: least, demoted: demoted ?? reason };
}

// Hidden text cannot be a specimen, as no reader would see it. A file that was not read has no stance.
const NEVER_LOWERED: ReadonlySet<string> = new Set(["UN1", "AN1"]);

const STANCE_REASONS = {
  quoted: "it stands there as a quotation",
  negated: "the text says not to do it",
  example: "it stands there as an example of an attack",
} as const;
const IN_TESTS = "it lies among tests, and nothing in the skill loads it";
