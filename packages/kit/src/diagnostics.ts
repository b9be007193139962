/** How much a fault of a skill matters: an error keeps it from loading, a warning does not. */
export type Severity = "error" | "warning" | "info";

/** The place of a fault in a file; lines and columns count from 1, columns in UTF-16 units. */
export interface Range {
  readonly line: number;
  readonly column: number;
  readonly endLine?: number;
  readonly endColumn?: number;
}

/**
 * One fault of a skill, returned with the result and never thrown.
 *
 * @example
 * const { diagnostics } = parseSkill(text);
 * for (const { code, message, hint } of diagnostics) console.log(code, message, hint);
 */
export interface Diagnostic {
  /** Stable, kebab-case; documented in `docs/diagnostics.md`. */
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly file: string;
  readonly range?: Range;
  /** The next step for the author; errors always carry one. */
  readonly hint?: string;
}

/** A diagnostic about a file as a whole. */
export function diagnostic(
  severity: Severity,
  code: string,
  file: string,
  message: string,
  hint?: string,
): Diagnostic {
  return { code, severity, message, file, ...(hint !== undefined && { hint }) };
}
