import { resolve } from "node:path";
import type { ChatModel, ModelEvaluation, SelectorResult, TriggerEvaluation } from "@skillet/author";
import type { Skill } from "@skillet/core";
import type { LearnedReading } from "@skillet/core/internal";
import { present } from "@skillet/kit/json";
import { refuseUsage, usageError } from "../context/cli-error.ts";
import {
  answer,
  type CommandContext,
  type ExitCode,
  type Flags,
  type Lists,
  type Numbers,
  type Texts,
} from "../context/command-context.ts";
import { modelMissing, readModelSettings } from "../context/open-workspace.ts";
import { openOutputFile } from "../context/output-file.ts";
import {
  findSkillToEvaluate,
  type ReadTriggerSets,
  readTriggerSets,
  type SkillToEvaluate,
} from "../eval/read-trigger-sets.ts";
import {
  isTaught,
  missedBounds,
  reportTriggers,
  type TriggerBounds,
  warnMissedBounds,
} from "../eval/report-triggers.ts";
import { loadSelecting } from "../load-beside.ts";
import { toJson } from "../ui/json-document.ts";
import { createCountLine } from "../ui/progress-bar.ts";

/** `timeout` is in seconds. */
interface EvalTriggersOptions
  extends TriggerBounds,
    Flags<"alone" | "untaught" | "verbose">,
    Texts<"among" | "output">,
    Lists<"set">,
    Numbers<"runs" | "threshold" | "workers" | "timeout"> {
  readonly skill: string;
  readonly at?: "activate" | "suggest";
  readonly by?: "selector" | "model" | "both";
}

export async function evalTriggers(context: CommandContext, options: EvalTriggersOptions): Promise<ExitCode> {
  const { alone = false, among, by, at = "suggest", output } = options;
  refuseUsage("eval triggers", [[alone && among !== undefined, "--alone and --among cannot be combined."]]);
  const found = await findSkillToEvaluate(context, options.skill, { alone, among });
  const sets = await readTriggerSets(context, found.skill, options.set ?? []);
  const settings = by === "selector" ? undefined : await readModelSettings(context, "eval.model");
  if (settings === undefined) refuseModelOptions(options);
  const { queries } = sets;
  const selecting = loadSelecting();
  const isSelected = by !== "model";
  const learned = isSelected && options.untaught !== true ? selecting.readLearned(found.home) : undefined;
  const selected = isSelected ? await bySelector(context, found, { queries, at, learned }) : undefined;
  const model = settings && selecting.createChatModel(settings);
  const modelled = model && (await byModel(context, found, { queries, options, model }));
  const evaluations = [...(selected ? [selected] : []), ...(modelled ? [modelled] : [])];
  const missed = evaluations.flatMap((evaluation) => missedBounds(evaluation, options));
  const document = {
    ...selecting.triggerDocument(found.skill, (modelled ?? selected) as ModelEvaluation),
    // The file has one evaluation at its top level, as readers expect; the other has a key of its own.
    ...(modelled && selected && { selector: selecting.triggerDocument(found.skill, selected) }),
  };
  if (output !== undefined) writeDocument(resolve(context.workspace, output), document);
  const isUnmeasured = modelled !== undefined && modelled.summary.unmeasured === modelled.summary.total;
  const exitCode = answer(
    context,
    {
      ...document,
      at,
      learned_from: isTaught(learned) ? learned.file : null,
      sets: sets.files,
      missed_bounds: missed,
      diagnostics: [...sets.diagnostics, ...(learned?.diagnostics ?? [])],
    },
    () => reportTriggers(context, { ...found, sets, selected, modelled, learned, options }),
    missed.length > 0 || isUnmeasured ? 1 : 0,
  );
  warnMissedBounds(context, missed);
  return exitCode;
}

/** How a model is asked. Without a model, these options would be silently ignored, so they are refused. */
const MODEL_OPTIONS = ["runs", "threshold", "workers", "timeout"] as const;

function refuseModelOptions(options: EvalTriggersOptions): void {
  if (options.by === "model" || options.by === "both") throw modelMissing("eval.model", "--by");
  const given = MODEL_OPTIONS.find((name) => options[name] !== undefined);
  if (given === undefined) return;
  throw options.by === "selector"
    ? usageError("eval triggers", `--${given} is about a model, and --by selector does not use one.`)
    : modelMissing("eval.model", `--${given}`);
}

type Queries = Pick<ReadTriggerSets, "queries">;

/** Evaluates the messages of a set in the same way for `eval triggers` and `preview`. */
export async function bySelector(
  context: CommandContext,
  found: SkillToEvaluate,
  {
    queries,
    at,
    learned,
  }: Queries & Pick<EvalTriggersOptions, "at"> & { learned: LearnedReading | undefined },
): Promise<TriggerEvaluation<SelectorResult>> {
  const { skill, others, readBody } = found;
  const line = createCountLine(context, "Reading skills");
  let read = 0;
  try {
    return await loadSelecting().evaluateTriggers(skill, {
      queries,
      among: others,
      othersExamples: await found.readExamples(),
      readBody: (one: Skill) => {
        read += 1;
        line.show(Math.min(read, others.length + 1), others.length + 1);
        return readBody(one);
      },
      ...(at && { at }),
      ...(learned && { learned: learned.learned }),
    });
  } finally {
    line.clear();
  }
}

async function byModel(
  context: CommandContext,
  { skill, others, readBody }: SkillToEvaluate,
  { queries, options, model }: Queries & { options: EvalTriggersOptions; model: ChatModel },
): Promise<ModelEvaluation> {
  const { runs, threshold, workers, timeout } = options;
  const line = createCountLine(context, `Asking ${model.by}`);
  try {
    return await loadSelecting().evaluateWithModel(skill, {
      queries,
      model,
      among: others,
      readInstructions: readBody,
      onProgress: line.show,
      ...present({ runsPerQuery: runs, threshold, workers, timeoutMs: timeout && timeout * 1_000 }),
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
