import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { ScanSummary } from "@skillet/scan";
import type { Failure } from "../report-failure.ts";
import type { ScannedTarget } from "./scan-targets.ts";

/** How results are written, one as soon as it is there. */
export interface ReportWriter {
  add(result: ScannedTarget): void;
  finish(end: ReportEnd): void;
  /** Ends what was begun, where a scan broke off: readers get a whole document that says so, or nothing. */
  breakOff(end: ReportEnd, failure: Failure): void;
}

/** What is known when everything was scanned. */
export interface ReportEnd {
  readonly summary: ScanSummary;
  /** Places that could not be searched, and what else was odd. */
  readonly diagnostics: readonly Diagnostic[];
}

/** The formats of a report. */
export type ReportFormat = "text" | "json" | "sarif" | "html";
