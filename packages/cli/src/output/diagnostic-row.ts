import type { Diagnostic, Severity } from "@skillet/kit/diagnostics";

/** A diagnostic as the JSON documents show it: the position flattened. */
export interface DiagnosticRow {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  readonly hint?: string;
}

/** Flattens a diagnostic for a JSON document. */
export function diagnosticRow(diagnostic: Diagnostic): DiagnosticRow {
  const { code, severity, message, file, range, hint } = diagnostic;
  return {
    code,
    severity,
    message,
    file,
    ...(range && { line: range.line, column: range.column }),
    ...(hint !== undefined && { hint }),
  };
}
