import type { Digest } from "@skillet/kit/digest";
import type { Finding } from "../finding/finding.ts";
import type { Opinion } from "../judge/judge.ts";
import type { Rule } from "../rule/rule.ts";
import type { ScanReport } from "../scan-report.ts";
import type { Excerpt } from "./excerpts-of.ts";
import type { RuleExample } from "./rule-examples.ts";

/** One skill that was scanned, as reports show it. */
export interface ScanResult {
  /** As the person named it: a folder, or a file where one was named. */
  readonly path: string;
  /** What the files of findings are relative to; differs from `path` where a file was named. */
  readonly folder: string;
  readonly name: string;
  /** Of the whole tree; absent where not every file could be read. */
  readonly digest?: Digest;
  readonly report: ScanReport;
  /** What somebody else thinks of it; it stands beside the verdict and changes nothing in the report. */
  readonly opinion?: Opinion;
  /** The lines that findings of the report are about; secrets in them are redacted. */
  readonly excerpts: ReadonlyMap<Finding, Excerpt>;
}

/** What people are told about a rule: everything but how it finds. */
export interface RuleDescription extends Omit<Rule, "find"> {
  /** Something that it finds, where one is known. */
  readonly example?: RuleExample;
}
