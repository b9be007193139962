import { listCapabilities } from "./capability/list-capabilities.ts";
import type { FactBook } from "./fact/fact.ts";
import type { SkillFile } from "./file/file-kind.ts";
import { createFindings, rankFindings } from "./finding/create-findings.ts";
import type { Finding, Rule, SkillProfile, Suppression } from "./finding/finding.ts";
import type { RulePack } from "./pack/read-rule-pack.ts";
import { type BundleContext, readFiles } from "./read/read-files.ts";
import { ALL_RULES } from "./rule/all-rules.ts";
import { createFactBook, createProfile } from "./rule/create-profile.ts";
import { withProse } from "./rule/prose-rules.ts";
import { type Scan, scanBundle } from "./scan-bundle.ts";
import { DEFAULT_SCAN_LIMITS, type ScanLimits } from "./scan-limits.ts";
import { RULE_SET, type ScanReport } from "./scan-report.ts";
import { applySuppressions, type SuppressionResult } from "./suppress/suppressions.ts";
import { decideVerdict } from "./verdict/decide-verdict.ts";
import { weighSkill } from "./verdict/weigh-skill.ts";

/** Not found by facts alone: `weighSkill` makes it from everything that the other rules found. */
const CX3 = withProse("CX3");

/** How a skill is scanned; the defaults are those of the command line. */
export interface ScanOptions {
  readonly limits?: Partial<ScanLimits>;
  /** The user's own rules, in addition to the scanner's. */
  readonly packs?: readonly Pick<RulePack, "rules" | "analyse">[];
  readonly suppressions?: readonly Suppression[];
  /** For a plugin: the folders of its skills, each of which is judged separately. */
  readonly skillFolders?: readonly string[];
  readonly signal?: AbortSignal;
}

/**
 * Scans the files of one skill: facts first, then findings, then the verdict.
 *
 * Nothing in it is run, fetched or written, and nothing that a file says changes how it is scanned.
 *
 * @example
 * const { verdict, findings } = await scanSkill([{ path: "SKILL.md", mode: "644", bytes }]);
 * for (const { rule, file, line, message } of findings) console.log(rule, `${file}:${line}`, message);
 */
export async function scanSkill(files: readonly SkillFile[], options: ScanOptions = {}): Promise<ScanReport> {
  const scan: Scan = (part, bundle) => scanAlone(part, options, bundle);
  if (options.skillFolders === undefined) return scan(files);
  const { maxFindings } = { ...DEFAULT_SCAN_LIMITS, ...options.limits };
  return scanBundle(files, options.skillFolders, maxFindings, scan);
}

async function scanAlone(
  files: readonly SkillFile[],
  options: ScanOptions,
  bundle?: BundleContext,
): Promise<ScanReport> {
  const limits = { ...DEFAULT_SCAN_LIMITS, ...options.limits };
  const packs = options.packs ?? [];
  const analysers = packs.map(({ analyse }) => analyse);
  const { facts, coverage } = await readFiles(files, { limits, analysers, signal: options.signal, bundle });
  const book = createFactBook(facts);
  const profile = createProfile(book);
  const rules = [...ALL_RULES, ...packs.flatMap((pack) => pack.rules)];
  const suppress = (findings: readonly Finding[]): SuppressionResult =>
    applySuppressions(findings, options.suppressions ?? [], files);
  const found = suppress(findAll(rules, book, profile, options.signal));
  // A dismissed finding neither counts against the skill nor keeps the rest from being weighed.
  const weighed = suppress(createFindings(CX3, weighSkill(book, profile, found.counted)));
  const counted = [...found.counted, ...weighed.counted];
  return {
    verdict: decideVerdict(counted, coverage),
    findings: rankFindings(counted).slice(0, limits.maxFindings),
    suppressed: [...found.suppressed, ...weighed.suppressed],
    capabilities: listCapabilities(book),
    coverage,
    ruleSet: RULE_SET,
  };
}

function findAll(
  rules: readonly Rule[],
  book: FactBook,
  profile: SkillProfile,
  signal: AbortSignal | undefined,
): Finding[] {
  return rules.flatMap((rule) => {
    signal?.throwIfAborted();
    return createFindings(rule, rule.find(book, profile));
  });
}
