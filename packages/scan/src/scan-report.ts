import type { TokenUsage } from "@skillet/kit/chat";
import type { Capabilities } from "./capability/list-capabilities.ts";
import type { FileCoverage } from "./file/file-kind.ts";
import type { Finding, SuppressedFinding } from "./finding/finding.ts";

/** `safe`: no findings that count; `caution`: the user should look at it; `dangerous`: it attacks. */
export type Verdict = "safe" | "caution" | "dangerous";

/** The opinion of a judge that read a skill. */
export interface Opinion {
  readonly verdict: Verdict;
  readonly by: string;
  /** In the judge's words, for users only: they may echo what the skill says. */
  readonly reasons: readonly string[];
  /** As counted by the model's server, if it does so. */
  readonly tokens?: TokenUsage;
}

/** Everything that one scan found; the same files and rules give the same report, byte for byte. */
export interface ScanReport {
  readonly verdict: Verdict;
  /** Most severe first, then by file and line. */
  readonly findings: readonly Finding[];
  /** Findings that the user dismissed for exactly these bytes; they do not count, but are always shown. */
  readonly suppressed: readonly SuppressedFinding[];
  readonly capabilities: Capabilities;
  /** Every file, read or not; one that was not read whole keeps the verdict from being safe. */
  readonly coverage: readonly FileCoverage[];
  /** Identifies the rules; a report by other rules is not comparable. */
  readonly ruleSet: string;
  /** Present if a judge read the skill; an accusation is among the findings as RD1. */
  readonly opinion?: Opinion;
}

/** Set by the build: a digest over the scanner's own source and the versions of its parsers. */
declare const BUILT_RULE_SET: string | undefined;

/** Identifies the scanner's rules and all that they read with; a skill is scanned again if it changes. */
export const RULE_SET: string = typeof BUILT_RULE_SET === "string" ? BUILT_RULE_SET : "from-source";
