import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { RulePack, Suppression } from "@skillet/scan";
import { CliError } from "../cli-error.ts";
import { diagnosticRow } from "../output/diagnostic-row.ts";
import { loadScanning } from "./load-scanning.ts";
import type { RuleFile, UserRules } from "./user-rules.ts";

/** A user's rules and dismissals as a scan takes them. */
export interface ParsedRules {
  readonly packs: readonly RulePack[];
  readonly suppressions: readonly Suppression[];
  /** What was odd about dismissals; such an entry dismisses nothing. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Understands what a user adds to the scanner; ends the command at a pack with a fault. Loads the scanner. */
export function parseUserRules({ packs, suppressions }: UserRules): ParsedRules {
  const dismissed =
    suppressions === undefined
      ? { suppressions: [], diagnostics: [] }
      : loadScanning().readSuppressions(suppressions.text, { file: suppressions.file });
  return { packs: parsePacks(packs), ...dismissed };
}

function parsePacks(files: readonly RuleFile[]): readonly RulePack[] {
  const { ALL_RULES, readRulePack } = loadScanning();
  const reservedIds = new Set(ALL_RULES.map(({ id }) => id));
  return files.map(({ file, text }) => {
    const pack = readRulePack(text, { file, reservedIds });
    const faults = pack.diagnostics.filter(({ severity }) => severity === "error");
    // Half a pack would let through what the other half was written for.
    if (faults.length > 0) throw unusable(file, faults);
    for (const { id } of pack.rules) reservedIds.add(id);
    return pack;
  });
}

function unusable(file: string, faults: readonly Diagnostic[]): CliError {
  return new CliError("rules-unusable", `The rules in ${file} cannot be used.`, {
    hints: faults.map(({ range, message, hint }) => {
      const place = range === undefined ? "" : `line ${range.line}, column ${range.column}: `;
      return `${place}${message}${hint === undefined ? "" : `; ${hint}`}`;
    }),
    details: { file, diagnostics: faults.map(diagnosticRow) },
  });
}
