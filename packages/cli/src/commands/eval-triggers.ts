import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { ChatModel, ModelEvaluation, SelectorResult, TriggerEvaluation } from "@skillet/author";
import type { Skill } from "@skillet/core";
import type { LearnedReading } from "@skillet/core/internal";
import { CliError, refuseUsage, usageError } from "../context/cli-error.ts";
import type { CommandContext, ExitCode, Flags } from "../context/command-context.ts";
import { readModelSettings } from "../context/open-workspace.ts";
import { openOutputFile } from "../context/output-file.ts";
import {
  findSkillToEvaluate,
  type ReadTriggerSets,
  readTriggerSets,
  type SkillToEvaluate,
} from "../eval/read-trigger-sets.ts";
import { isTaught, missedBounds, reportTriggers, type TriggerBounds } from "../eval/report-triggers.ts";
import { loadSelecting } from "../load-beside.ts";
import { printJson, toJson } from "../ui/json-document.ts";
import { createCountLine } from "../ui/progress-bar.ts";

interface EvalTriggersOptions
  extends TriggerBounds,
    Flags<"alone" | "withExamples" | "untaught" | "verbose"> {
  readonly skill: string;
  readonly set?: readonly string[];
  readonly among?: string;
  readonly at?: "activate" | "suggest";
  readonly by?: "selector" | "model" | "both";
  readonly runs?: number;
  readonly threshold?: number;
  readonly workers?: number;
  /** Seconds. */
  readonly timeout?: number;
  readonly output?: string;
}

/** Runs a skill's messages through the selector and, where there is one, a model, and says what came of it. */
export async function evalTriggers(context: CommandContext, options: EvalTriggersOptions): Promise<ExitCode> {
  const { alone, among, by } = options;
  refuseUsage("eval triggers", [
    [alone === true && among !== undefined, "--alone and --among do not go together."],
  ]);
  const company = among === undefined ? "installed" : { folder: among };
  const found = await findSkillToEvaluate(context, {
    word: options.skill,
    among: alone === true ? "nobody" : company,
  });
  const sets = await readTriggerSets(context, found.skill, options.set ?? []);
  const model = by === "selector" ? undefined : await openEvalModel(context);
  if (model === undefined) refuseModelOptions(options);
  const job = { found, sets, options };
  const isSelected = by !== "model";
  const learned =
    isSelected && options.untaught !== true ? loadSelecting().readLearned(found.home) : undefined;
  const selected = isSelected ? await bySelector(context, job, learned) : undefined;
  const modelled = model && (await byModel(context, job, model));
  const evaluations = [...(selected ? [selected] : []), ...(modelled ? [modelled] : [])];
  const missed = evaluations.flatMap((evaluation) => missedBounds(evaluation, options));
  const { triggerDocument } = loadSelecting();
  const document = {
    ...triggerDocument(found.skill, (modelled ?? selected) as ModelEvaluation),
    // The file has one evaluation, as its readers expect; the other one stands below a name of its own.
    ...(modelled && selected && { selector: triggerDocument(found.skill, selected) }),
  };
  if (options.output !== undefined) writeDocument(resolve(context.workspace, options.output), document);
  if (context.json)
    printJson(context.terminal, {
      ...document,
      at: options.at ?? "suggest",
      learned_from: isTaught(learned) ? learned.file : null,
      sets: sets.files,
      missed_bounds: missed,
      diagnostics: [...sets.diagnostics, ...(learned?.diagnostics ?? [])],
    });
  else reportTriggers(context, { ...found, sets, selected, modelled, missed, learned, options });
  const isUnmeasured = modelled !== undefined && modelled.summary.unmeasured === modelled.summary.total;
  return missed.length > 0 || isUnmeasured ? 1 : 0;
}

/** How a model is asked; without one they would be passed over in silence. */
const MODEL_OPTIONS = ["runs", "threshold", "workers", "timeout"] as const;

function refuseModelOptions(options: EvalTriggersOptions): void {
  if (options.by === "model" || options.by === "both") throw noEvalModel("--by");
  const given = MODEL_OPTIONS.find((name) => options[name] !== undefined);
  if (given === undefined) return;
  throw options.by === "selector"
    ? usageError("eval triggers", `--${given} is about a model, and --by selector asks none.`)
    : noEvalModel(`--${given}`);
}

interface Job {
  readonly found: SkillToEvaluate;
  readonly sets: ReadTriggerSets;
  readonly options: EvalTriggersOptions;
}

async function bySelector(
  context: CommandContext,
  { found: { skill, others, readBody }, sets: { queries }, options: { at, withExamples } }: Job,
  learned: LearnedReading | undefined,
): Promise<TriggerEvaluation<SelectorResult>> {
  const evaluate = loadSelecting().evaluateTriggers;
  const line = createCountLine(context, "Reading skills");
  let read = 0;
  const common = {
    ...{ queries, among: others },
    readBody: (one: Skill) => {
      read += 1;
      line.show(Math.min(read, others.length + 1), others.length + 1);
      return readBody(one);
    },
    ...(at && { at }),
    ...(learned && { learned: learned.learned }),
  };
  try {
    if (withExamples !== true) return await evaluate(skill, common);
    return await withIndexFile((cacheFile) =>
      evaluate(skill, { ...common, examples: "leave-one-out", cacheFile }),
    );
  } finally {
    line.clear();
  }
}

async function withIndexFile<Result>(use: (cacheFile: string) => Promise<Result>): Promise<Result> {
  // One selector a message: only the first should have to read the skills.
  const folder = mkdtempSync(join(tmpdir(), "skillet-eval-"));
  try {
    return await use(join(folder, "selection.idx"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function byModel(
  context: CommandContext,
  { found: { skill, others, readBody }, sets: { queries }, options }: Job,
  model: ChatModel,
): Promise<ModelEvaluation> {
  const { runs, threshold, workers, timeout } = options;
  const line = createCountLine(context, `Asking ${model.by}`);
  try {
    return await loadSelecting().evaluateWithModel(skill, {
      ...{ queries, model, among: others, readInstructions: readBody, onProgress: line.show },
      ...(runs !== undefined && { runsPerQuery: runs }),
      ...(threshold !== undefined && { threshold }),
      ...(workers !== undefined && { workers }),
      ...(timeout !== undefined && { timeoutMs: timeout * 1_000 }),
    });
  } finally {
    line.clear();
  }
}

function writeDocument(path: string, document: Readonly<Record<string, unknown>>): void {
  const file = openOutputFile(path);
  try {
    file.write(`${toJson(document)}\n`);
    file.keep();
  } finally {
    file.drop();
  }
}

async function openEvalModel(context: CommandContext): Promise<ChatModel | undefined> {
  const settings = await readModelSettings(context, "eval.model");
  if (settings === undefined) return undefined;
  const { endpoint, model, variable, apiKey } = settings;
  if (variable !== undefined && apiKey === undefined)
    throw new CliError(
      "eval-key-missing",
      `The key for the model of trigger evals is to be in ${variable}, which is not set.`,
      {
        hints: [`Set ${variable}, change eval.model.apiKeyEnv, or ask the selector alone: --by selector`],
        details: { variable },
      },
    );
  return loadSelecting().createChatModel({ endpoint, model, ...(apiKey !== undefined && { apiKey }) });
}

function noEvalModel(option: string): CliError {
  return new CliError(
    "eval-model-not-configured",
    `${option} needs a model to ask, and the config names none.`,
    {
      hints: [
        "For example:",
        "  skillet config set eval.model.endpoint http://127.0.0.1:11434/v1",
        "  skillet config set eval.model.model qwen3",
      ],
    },
  );
}
