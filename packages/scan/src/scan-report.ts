import type { TokenUsage } from "@skillet/kit/chat";
import type { Capabilities } from "./capability/list-capabilities.ts";
import type { FileCoverage } from "./file/file-kind.ts";
import type { Finding, SuppressedFinding } from "./finding/finding.ts";

/** The result of a scan: no findings that count, a person should look, or it attacks. */
export type Verdict = "safe" | "caution" | "dangerous";

/** What a judge that read a skill thinks of it. */
export interface Opinion {
  readonly verdict: Verdict;
  readonly by: string;
  /** In the judge's words, for people only: they may echo what the skill says. */
  readonly reasons: readonly string[];
  /** As the model's server counted them, where it did. */
  readonly tokens?: TokenUsage;
}

/** Everything that one scan found; the same files and rules give the same report, byte for byte. */
export interface ScanReport {
  readonly verdict: Verdict;
  /** Most severe first, then by file and line. */
  readonly findings: readonly Finding[];
  /** Findings that someone dismissed for exactly these bytes; they do not count, and are always shown. */
  readonly suppressed: readonly SuppressedFinding[];
  readonly capabilities: Capabilities;
  /** Every file, read or not; one that was not read whole keeps the verdict from being safe. */
  readonly coverage: readonly FileCoverage[];
  /** Which rules judged; a report of other rules does not count as one of these. */
  readonly ruleSet: string;
  /** Of a judge that read the skill, where one did; an accusation is among the findings as RD1. */
  readonly opinion?: Opinion;
}

/** Put in by the build: a digest over the scanner's own source and the versions of its parsers. */
declare const BUILT_RULE_SET: string | undefined;

/** Names the scanner's rules and everything that they read with; a report of another rule set is scanned anew. */
export const RULE_SET: string = typeof BUILT_RULE_SET === "string" ? BUILT_RULE_SET : "from-source";
