import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { resolveHome } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { canonicalPath } from "@skillet/kit/files";
import {
  type Baseline,
  createOpenAiJudge,
  type Judge,
  type RuleDescription,
  type RulePack,
  type ScanOptions,
  type Suppression,
} from "@skillet/scan";
import { CliError } from "../context/cli-error.ts";
import type { CommandContext, Flags } from "../context/command-context.ts";
import { ownList, readModelSettings } from "../context/open-workspace.ts";
import { readTextFile } from "../context/output-file.ts";
import { parseUserRules, readUserRules } from "../context/user-rules.ts";
import { loadScanning } from "../load-beside.ts";
import type { ReportFormat } from "./report-writer.ts";

export interface ScanInputs {
  readonly options: ScanOptions;
  readonly rules: readonly RuleDescription[];
  /** Of a session, where this scan judges as one would; absent where the command line changes how it judges. */
  readonly sessionRuleSet?: string;
  readonly baseline?: OpenBaseline;
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
    packs: [...(await ownList(context, "scan.rules")), ...given.map(at)],
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

const MAX_BASELINE_BYTES = 64 * 1024 * 1024;

/** A baseline with the file it lies in, which its paths are relative to. */
export interface OpenBaseline {
  readonly file: string;
  readonly baseline: Baseline;
  /** What a skill is called in it, from whichever folder the command runs. */
  readonly keyOf: (path: string) => string;
}

/** Reads a baseline; `workspace` is what paths of skills are relative to. */
async function openBaseline(file: string, workspace: string): Promise<OpenBaseline> {
  const text = await readTextFile(file, MAX_BASELINE_BYTES);
  return {
    file,
    baseline: loadScanning().parseBaseline(text, { file }),
    keyOf: baselineKeys(file, workspace),
  };
}

/** Names skills by their way from the folder of a baseline's file, so that a baseline means the same everywhere. */
export function baselineKeys(file: string, workspace: string): (path: string) => string {
  const folder = canonicalPath(dirname(file));
  return (path) => {
    const absolute = resolve(workspace, path);
    // A skill that is a link is called by the link, which lies in the repository as the baseline does.
    const real = join(canonicalPath(dirname(absolute)), basename(absolute));
    const way = relative(folder, real).split(sep).join("/");
    return way === "" ? "." : way;
  };
}

/** The second opinion that the user's configuration names; ends the command where it names none. */
async function openJudge(context: CommandContext): Promise<Judge> {
  const settings = await readModelSettings(context, "scan.judge");
  if (settings === undefined)
    throw new CliError("judge-not-configured", "--judge needs a model to ask, and the config names none.", {
      hints: [
        "For example:",
        "  skillet config set scan.judge.endpoint http://127.0.0.1:11434/v1",
        "  skillet config set scan.judge.model qwen3",
      ],
    });
  const { endpoint, model, variable, apiKey } = settings;
  if (variable !== undefined && apiKey === undefined)
    throw new CliError(
      "judge-key-missing",
      `The key for --judge is to be in ${variable}, which is not set.`,
      {
        hints: [`Set ${variable}, or change scan.judge.apiKeyEnv.`],
        details: { variable },
      },
    );
  return createOpenAiJudge({ endpoint, model, ...(apiKey !== undefined && { apiKey }) });
}

/** What a command line says about scanning; `words` are paths and names of installed skills. */
export interface ScanCommandOptions extends Flags<"all" | "verbose" | "judge" | "listRules"> {
  readonly words: readonly string[];
  readonly format?: ReportFormat;
  readonly output?: string;
  readonly failOn?: "dangerous" | "caution" | "never";
  readonly rules?: readonly string[];
  readonly suppressions?: string;
  readonly baseline?: string;
  readonly writeBaseline?: string;
  readonly explain?: string;
}
