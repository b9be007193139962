import { resolve } from "node:path";
import { type Diagnostic, resolveHome } from "@skillet/core";
import type { Baseline, Judge, RuleDescription, ScanOptions } from "@skillet/scan";
import type { CommandContext } from "../command-context.ts";
import { openWorkspace } from "../open-workspace.ts";
import { loadScanning } from "./load-scanning.ts";
import { openJudge } from "./open-judge.ts";
import { parseUserRules } from "./parse-user-rules.ts";
import { readTextFile } from "./read-text-file.ts";
import type { ScanCommandOptions } from "./scan-command-options.ts";
import { readUserRules } from "./user-rules.ts";

const MAX_BASELINE_BYTES = 64 * 1024 * 1024;

/** Everything that decides about a scan besides the skill itself. */
export interface ScanInputs {
  readonly options: ScanOptions;
  /** All that judge, those of packs too. */
  readonly rules: readonly RuleDescription[];
  /** Of a session, where this scan judges as one would; absent where the command line changes how it judges. */
  readonly sessionRuleSet?: string;
  readonly baseline?: Baseline;
  readonly judge?: Judge;
  /** What was odd about a file of dismissals; such an entry dismisses nothing. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads rule packs, dismissed findings and the baseline that the configuration and a command line name. */
export async function readScanInputs(
  context: CommandContext,
  options: ScanCommandOptions,
): Promise<ScanInputs> {
  const { ALL_RULES, parseBaseline } = loadScanning();
  const at = (file: string): string => resolve(context.workspace, file);
  const { home } = resolveHome(context.environment);
  const given = options.rules ?? [];
  const userRules = await readUserRules({
    home,
    packs: [...(await configuredPacks(context)), ...given.map(at)],
    ...(options.suppressions !== undefined && { suppressions: at(options.suppressions) }),
  });
  const { packs, suppressions, diagnostics } = parseUserRules(userRules);
  const baselineFile = options.baseline === undefined ? undefined : at(options.baseline);
  const isUsual = given.length === 0 && options.suppressions === undefined && baselineFile === undefined;
  return {
    options: { packs, suppressions },
    rules: [...ALL_RULES, ...packs.flatMap(({ rules }) => rules)],
    ...(isUsual && { sessionRuleSet: userRules.ruleSet }),
    ...(baselineFile !== undefined && {
      baseline: parseBaseline(await readTextFile(baselineFile, MAX_BASELINE_BYTES), { file: baselineFile }),
    }),
    ...(options.judge === true && { judge: await openJudge(context) }),
    diagnostics,
  };
}

// A project has no say in how it is judged.
async function configuredPacks(context: CommandContext): Promise<readonly string[]> {
  const { values } = await openWorkspace(context).config({ without: "project" });
  const value = values.find(({ key }) => key === "scan.rules")?.value;
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
