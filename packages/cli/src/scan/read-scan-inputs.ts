import { resolve } from "node:path";
import { resolveHome } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Judge, RuleDescription, RulePack, ScanOptions, Suppression } from "@skillet/scan";
import type { CommandContext } from "../command-context.ts";
import { openWorkspace } from "../open-workspace.ts";
import { loadScanning } from "./load-scanning.ts";
import { type OpenBaseline, openBaseline } from "./open-baseline.ts";
import { openJudge } from "./open-judge.ts";
import { parseUserRules } from "./parse-user-rules.ts";
import type { ScanCommandOptions } from "./scan-command-options.ts";
import { readUserRules } from "./user-rules.ts";

/** Everything that decides about a scan besides the skill itself. */
export interface ScanInputs {
  readonly options: ScanOptions;
  /** All that judge, those of packs too. */
  readonly rules: readonly RuleDescription[];
  /** Of a session, where this scan judges as one would; absent where the command line changes how it judges. */
  readonly sessionRuleSet?: string;
  readonly baseline?: OpenBaseline;
  /** All dismissals and where they stand. */
  readonly dismissals?: { readonly file: string; readonly suppressions: readonly Suppression[] };
  readonly judge?: Judge;
  /** What was odd about a file of dismissals; such an entry dismisses nothing. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads rule packs, dismissed findings and the baseline that the configuration and a command line name. */
export async function readScanInputs(
  context: CommandContext,
  options: ScanCommandOptions,
): Promise<ScanInputs> {
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
    rules: describeRules(packs),
    ...(isUsual && { sessionRuleSet: userRules.ruleSet }),
    ...(baselineFile !== undefined && { baseline: await openBaseline(baselineFile, context.workspace) }),
    ...(userRules.suppressions !== undefined && {
      dismissals: { file: userRules.suppressions.file, suppressions },
    }),
    ...(options.judge === true && { judge: await openJudge(context) }),
    diagnostics,
  };
}

function describeRules(packs: readonly RulePack[]): readonly RuleDescription[] {
  const { ALL_RULES, RULE_EXAMPLES } = loadScanning();
  const own = ALL_RULES.map((rule) => {
    const example = RULE_EXAMPLES.get(rule.id);
    return example === undefined ? rule : { ...rule, example };
  });
  const added = packs.flatMap(({ rules, examples }) =>
    rules.map((rule) => {
      const text = examples.get(rule.id);
      return text === undefined ? rule : { ...rule, example: { text } };
    }),
  );
  return [...own, ...added];
}

// A project has no say in how it is judged.
async function configuredPacks(context: CommandContext): Promise<readonly string[]> {
  const { values } = await openWorkspace(context).config({ without: "project" });
  const value = values.find(({ key }) => key === "scan.rules")?.value;
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
