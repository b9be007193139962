import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { RULE_SET, type RulePack, type Suppression } from "@skillet/scan";
import { loadScanning } from "../load-beside.ts";
import { CliError } from "./cli-error.ts";
import { pathKind, readTextFile } from "./output-file.ts";

const MAX_PACK_BYTES = 1024 * 1024;
const MAX_SUPPRESSIONS_BYTES = 1024 * 1024;
const DIGEST_DIGITS = 16;

interface RuleFile {
  readonly file: string;
  readonly text: string;
}

/** The user's additions to the scanner's rules, before parsing. */
export interface UserRules {
  /** Identifies all rules together: verdicts from other packs or dismissals belong to another rule set. */
  readonly ruleSet: string;
  readonly packs: readonly RuleFile[];
  readonly suppressions: RuleFile | undefined;
}

/** Dismissals come from the user's own folder or where the user points, never from a skill or a project. */
export async function readUserRules(options: {
  readonly home: string;
  readonly packs: readonly string[];
  readonly suppressions?: string | undefined;
}): Promise<UserRules> {
  const packs: RuleFile[] = [];
  for (const file of options.packs) packs.push({ file, text: await readTextFile(file, MAX_PACK_BYTES) });
  const suppressions = await readDismissals(options.home, options.suppressions);
  return { ruleSet: nameOf(packs, suppressions), packs, suppressions };
}

async function readDismissals(home: string, named: string | undefined): Promise<RuleFile | undefined> {
  const file = named ?? join(home, "scan-suppressions.yaml");
  if (named === undefined && pathKind(file) === "nothing") return undefined;
  return { file, text: await readTextFile(file, MAX_SUPPRESSIONS_BYTES) };
}

// Names the rules by content, not by path.
function nameOf(packs: readonly RuleFile[], suppressions: RuleFile | undefined): string {
  if (packs.length === 0 && suppressions === undefined) return RULE_SET;
  const texts = [packs.map(({ text }) => text), suppressions?.text ?? null];
  const digest = createHash("sha256").update(JSON.stringify(texts)).digest("hex");
  return `${RULE_SET}+${digest.slice(0, DIGEST_DIGITS)}`;
}

export interface ParsedRules {
  readonly packs: readonly RulePack[];
  readonly suppressions: readonly Suppression[];
  /** About dismissals that are invalid and have no effect. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Loads the scanner; ends the command if a pack is invalid. */
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
    // Using half a pack would miss what the other half is meant to catch.
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
    details: { file, diagnostics: faults },
  });
}
