import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { resolveHome } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { canonicalPath } from "@skillet/kit/files";
import type { Baseline, RuleDescription, RulePack, ScanOptions, Suppression } from "@skillet/scan";
import type { CommandContext, Flags, Lists, Texts } from "../context/command-context.ts";
import { openReader, type Reader } from "../context/open-judge.ts";
import { modelMissing, ownConfig } from "../context/open-workspace.ts";
import { readTextFile } from "../context/output-file.ts";
import { parseUserRules, readUserRules } from "../context/user-rules.ts";
import { loadScanning } from "../load-beside.ts";
import type { ReportFormat } from "./report-writer.ts";

/** `words` are paths and names of installed skills. */
export interface ScanCommandOptions
  extends Flags<"all" | "verbose" | "judge" | "listRules">,
    Texts<"output" | "suppressions" | "baseline" | "writeBaseline" | "explain">,
    Lists<"rules"> {
  readonly words: readonly string[];
  readonly format?: ReportFormat;
  readonly failOn?: "dangerous" | "caution" | "never";
}

export interface ScanInputs {
  readonly options: ScanOptions;
  readonly rules: readonly RuleDescription[];
  /** A session's rule set, if this scan judges as a session would; absent if options change the rules. */
  readonly sessionRuleSet?: string;
  readonly baseline?: OpenBaseline;
  readonly dismissals?: { readonly file: string; readonly suppressions: readonly Suppression[] };
  readonly reader?: Reader;
  readonly diagnostics: readonly Diagnostic[];
}

export async function readScanInputs(
  context: CommandContext,
  options: ScanCommandOptions,
): Promise<ScanInputs> {
  const at = (file: string): string => resolve(context.workspace, file);
  const { rules: given = [], suppressions: dismissed, baseline } = options;
  const userRules = await readUserRules({
    home: resolveHome(context.environment).home,
    packs: [...(await ownConfig(context)).scan.rules, ...given.map(at)],
    suppressions: dismissed === undefined ? undefined : at(dismissed),
  });
  const { packs, suppressions, diagnostics } = parseUserRules(userRules);
  const isUsual = given.length === 0 && dismissed === undefined && baseline === undefined;
  const file = userRules.suppressions?.file;
  return {
    options: { packs, suppressions },
    rules: describeRules(packs),
    ...(isUsual && { sessionRuleSet: userRules.ruleSet }),
    ...(baseline !== undefined && { baseline: await openBaseline(at(baseline), context.workspace) }),
    ...(file !== undefined && { dismissals: { file, suppressions } }),
    ...(options.judge === true && { reader: await needReader(context) }),
    diagnostics,
  };
}

function describeRules(packs: readonly RulePack[]): readonly RuleDescription[] {
  const { ALL_RULES, RULE_EXAMPLES } = loadScanning();
  const withExample = (rule: RuleDescription, example?: RuleDescription["example"]): RuleDescription =>
    example === undefined ? rule : { ...rule, example };
  return [
    ...ALL_RULES.map((rule) => withExample(rule, RULE_EXAMPLES.get(rule.id))),
    ...packs.flatMap(({ rules, examples }) =>
      rules.map((rule) => {
        const text = examples.get(rule.id);
        return withExample(rule, text === undefined ? undefined : { text });
      }),
    ),
  ];
}

const MAX_BASELINE_BYTES = 64 * 1024 * 1024;

interface OpenBaseline {
  readonly file: string;
  readonly baseline: Baseline;
  readonly keyOf: (path: string) => string;
}

async function openBaseline(file: string, workspace: string): Promise<OpenBaseline> {
  const text = await readTextFile(file, MAX_BASELINE_BYTES);
  const baseline = loadScanning().parseBaseline(text, { file });
  return { file, baseline, keyOf: baselineKeys(file, workspace) };
}

/** Names skills by their path relative to the baseline file, so that a baseline means the same everywhere. */
export function baselineKeys(file: string, workspace: string): (path: string) => string {
  const folder = canonicalPath(dirname(file));
  return (path) => {
    const absolute = resolve(workspace, path);
    // A linked skill is named by the link, which is in the repository as the baseline is.
    const real = join(canonicalPath(dirname(absolute)), basename(absolute));
    const key = relative(folder, real).split(sep).join("/");
    return key === "" ? "." : key;
  };
}

async function needReader(context: CommandContext): Promise<Reader> {
  const reader = await openReader(context);
  if (reader === undefined) throw modelMissing("scan.judge", "--judge");
  return reader;
}
