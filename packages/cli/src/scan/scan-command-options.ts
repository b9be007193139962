import type { ReportFormat } from "./report-writer.ts";

/** What a command line says about scanning. */
export interface ScanCommandOptions {
  /** Paths and names of installed skills. */
  readonly words: readonly string[];
  readonly all?: boolean;
  readonly format?: ReportFormat;
  readonly output?: string;
  readonly failOn?: "dangerous" | "caution" | "never";
  readonly verbose?: boolean;
  readonly rules?: readonly string[];
  readonly suppressions?: string;
  readonly baseline?: string;
  readonly writeBaseline?: string;
  readonly judge?: boolean;
  readonly explain?: string;
  readonly listRules?: boolean;
}
