import { createHash } from "node:crypto";
import { join } from "node:path";
import { RULE_SET } from "@skillet/scan";
import { pathKind } from "./path-kind.ts";
import { readTextFile } from "./read-text-file.ts";

const MAX_PACK_BYTES = 1024 * 1024;
const MAX_SUPPRESSIONS_BYTES = 1024 * 1024;
const DIGEST_DIGITS = 16;

/** A file that a user adds to the scanner. */
export interface RuleFile {
  readonly file: string;
  readonly text: string;
}

/** What a user adds to the scanner's own rules, not yet understood, and what all of it together is called. */
export interface UserRules {
  /** Verdicts by other packs or dismissals are another rule set's. */
  readonly ruleSet: string;
  readonly packs: readonly RuleFile[];
  readonly suppressions: RuleFile | undefined;
}

/**
 * Reads the rule packs and dismissed findings that count for a user.
 *
 * Dismissals come from the user's own folder or from where the user points, never from a skill or a project.
 */
export async function readUserRules(options: {
  readonly home: string;
  /** Absolute paths. */
  readonly packs: readonly string[];
  /** Instead of the user's own file. */
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

// Where the files lie says nothing about what they say.
function nameOf(packs: readonly RuleFile[], suppressions: RuleFile | undefined): string {
  if (packs.length === 0 && suppressions === undefined) return RULE_SET;
  const texts = [packs.map(({ text }) => text), suppressions?.text ?? null];
  const digest = createHash("sha256").update(JSON.stringify(texts)).digest("hex");
  return `${RULE_SET}+${digest.slice(0, DIGEST_DIGITS)}`;
}
