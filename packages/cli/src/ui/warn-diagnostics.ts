import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { CommandContext } from "../command-context.ts";
import { faultEntry } from "./fault-entry.ts";

// A skill may have as many faults as files; `--json` has them all.
const MAX_WARNED = 20;

/** Says on standard error what was found odd on the way to an answer. */
export function warnDiagnostics(context: CommandContext, diagnostics: readonly Diagnostic[]): void {
  const { terminal, environment } = context;
  const layout = { width: terminal.errorLineWidth, colours: terminal.errorColours, environment };
  for (const diagnostic of diagnostics.slice(0, MAX_WARNED))
    for (const line of faultEntry(diagnostic, layout)) terminal.warn(line);
  const rest = diagnostics.length - MAX_WARNED;
  if (rest > 0) terminal.warn(layout.colours.dim(`  and ${rest} more: --json lists all`));
}
