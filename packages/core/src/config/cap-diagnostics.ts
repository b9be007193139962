import type { Diagnostic } from "@skillet/kit/diagnostics";

const MAX_PER_LAYER = 50;

/** The first diagnostics of a layer, and one that counts the rest; a file can hold tens of thousands. */
export function capDiagnostics(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const unlisted = diagnostics.length - MAX_PER_LAYER;
  const last = diagnostics[MAX_PER_LAYER - 1];
  if (unlisted <= 0 || last === undefined) return diagnostics;
  const rest: Diagnostic = {
    code: "config-more-warnings",
    severity: "warning",
    message: `${unlisted} more warnings about this file are not listed`,
    file: last.file,
    hint: "repair the ones above first",
  };
  return [...diagnostics.slice(0, MAX_PER_LAYER), rest];
}
