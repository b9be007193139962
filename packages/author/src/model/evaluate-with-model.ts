import type { Skill } from "@skillet/core";
import { findObstacle } from "@skillet/core/internal";
import type { ChatMessage, TokenUsage } from "@skillet/kit/chat";
import { SkilletError } from "@skillet/kit/errors";
import { compareByteOrder } from "@skillet/kit/order";
import { adviseAuthor } from "../triggers/advise-author.ts";
import { isolateSkills } from "../triggers/evaluate-triggers.ts";
import type { TriggerQuery } from "../triggers/read-trigger-set.ts";
import {
  type ChosenSkill,
  summariseResults,
  type TriggerEvaluation,
  type TriggerResult,
} from "../triggers/trigger-result.ts";
import type { ChatModel, ModelFailure } from "./chat-model.ts";
import { createSkillDesk, type ReadInstructions, type SkillDesk } from "./skill-desk.ts";

/** Options of `evaluateWithModel`. */
export interface EvaluateWithModelOptions {
  readonly queries: readonly TriggerQuery[];
  readonly model: ChatModel;
  readonly among?: readonly Skill[];
  readonly readInstructions: ReadInstructions;
  /** Default: 3. */
  readonly runsPerQuery?: number;
  /** The share of a query's runs from which on it counts as triggered. Default: 0.5. */
  readonly threshold?: number;
  /** How many runs are in progress at the same time. Default: 4. */
  readonly workers?: number;
  /** For one run with all its turns. Default: two minutes. */
  readonly timeoutMs?: number;
  /** Called after each run with the number of finished runs and the total. */
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/** The result of a query that a model decided. */
export interface ModelResult extends TriggerResult {
  /** Runs that did not finish; they count neither as triggered nor as not triggered. */
  readonly failures: readonly ModelFailure[];
}

/** How a model answered the queries. */
export interface ModelEvaluation extends TriggerEvaluation<ModelResult> {
  readonly by: string;
  readonly usage: UsageSum;
  readonly failedRuns: number;
}

/** Default and maximum. */
const BOUNDS = { runsPerQuery: [3, 50], workers: [4, 32], timeoutMs: [120_000, 3_600_000] } as const;
const DEFAULT_THRESHOLD = 0.5;

/**
 * Lets a real model choose among skills for every query, several times, and counts how often it loaded this skill.
 *
 * @example
 * const model = createChatModel({ endpoint: "http://127.0.0.1:11434/v1", model: "qwen3" });
 * const { metrics, usage } = await evaluateWithModel(skill, { queries, model, readInstructions });
 */
export async function evaluateWithModel(
  skill: Skill,
  options: EvaluateWithModelOptions,
): Promise<ModelEvaluation> {
  const { queries, model, among = [], onProgress, signal } = options;
  const { threshold = DEFAULT_THRESHOLD } = options;
  // With a threshold of 0, every query would count as triggered, whatever the model did.
  if (typeof threshold !== "number" || !(threshold > 0 && threshold <= 1))
    throw invalidOption("threshold", threshold, "a number above 0, up to 1");
  const [runsPerQuery, workers, timeoutMs] = (["runsPerQuery", "workers", "timeoutMs"] as const).map(
    (name) => {
      const [usual, most] = BOUNDS[name];
      const value = options[name] ?? usual;
      if (Number.isSafeInteger(value) && value >= 1 && value <= most) return value;
      throw invalidOption(name, value, `a whole number from 1 to ${most}`);
    },
  ) as [number, number, number];
  const others = among.filter((one) => findObstacle(one) === undefined);
  const { skills } = isolateSkills(skill, others);
  const desk = createSkillDesk(skill, skills, options.readInstructions);
  // By index rather than text: two rows with the same text are two results.
  const runs: QueryRun[][] = queries.map(() => []);
  const tasks = queries.flatMap((query, place) =>
    Array.from({ length: runsPerQuery }, () => ({ query, place })),
  );
  // One refusal aborts all runs, because the others would be refused as well.
  const stop = new AbortController();
  const either = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
  let next = 0;
  let done = 0;
  const work = async (): Promise<void> => {
    for (let task = tasks[next++]; task !== undefined; task = tasks[next++]) {
      const run = await runQuery(task.query.query, { skill, model, desk, timeoutMs, signal: either });
      runs[task.place]?.push(run);
      done += 1;
      onProgress?.(done, tasks.length);
    }
  };
  const crew = Array.from({ length: Math.min(workers, tasks.length) }, work);
  try {
    await Promise.all(crew);
  } catch (error) {
    stop.abort();
    await Promise.allSettled(crew);
    throw error;
  }
  const results = queries.map((query, place) => judge(skill, query, runs[place] ?? [], threshold));
  const all = runs.flat();
  const answers = all.flatMap(({ usage }) => usage);
  const sum = (key: keyof TokenUsage): number =>
    answers.reduce((total, usage) => total + (usage?.[key] ?? 0), 0);
  const withoutUsage = answers.filter((usage) => usage === undefined).length;
  return {
    ...summariseResults(results),
    by: model.by,
    usage: {
      promptTokens: sum("promptTokens"),
      completionTokens: sum("completionTokens"),
      answers: answers.length,
      withoutUsage,
    },
    failedRuns: all.filter(({ outcome }) => outcome === "failed").length,
  };
}

function invalidOption(name: string, value: unknown, wanted: string): SkilletError {
  return new SkilletError("eval-option-invalid", `${name} is ${String(value)}; pass ${wanted}.`, {
    data: { name, value },
  });
}

function judge(skill: Skill, query: TriggerQuery, runs: readonly QueryRun[], threshold: number): ModelResult {
  const ended = runs.filter(({ outcome }) => outcome !== "failed");
  const triggers = ended.filter(({ outcome }) => outcome === "triggered").length;
  const failures = runs.flatMap(({ failure }) => failure ?? []);
  const base = { ...query, triggers, runs: ended.length, chosenInstead: countOthers(ended), failures };
  if (ended.length === 0) return base;
  const triggerRate = triggers / ended.length;
  const pass = triggerRate >= threshold === query.shouldTrigger;
  const advice = pass ? undefined : adviseAuthor(skill, query);
  return { ...base, triggerRate, pass, ...(advice !== undefined && { advice }) };
}

function countOthers(runs: readonly QueryRun[]): readonly ChosenSkill[] {
  const times = new Map<string, number>();
  for (const name of runs.flatMap(({ others }) => others)) times.set(name, (times.get(name) ?? 0) + 1);
  return Array.from(times, ([name, count]) => ({ name, times: count })).sort(
    (left, right) => right.times - left.times || compareByteOrder(left.name, right.name),
  );
}

/** The token usage that the endpoint reports. */
export interface UsageSum extends TokenUsage {
  readonly answers: number;
  readonly withoutUsage: number;
}

interface QueryRun {
  readonly outcome: "triggered" | "not-triggered" | "failed";
  readonly failure?: ModelFailure;
  /** Skills that were loaded instead. */
  readonly others: readonly string[];
  /** One entry per answer. */
  readonly usage: readonly (TokenUsage | undefined)[];
}

/** An agent that has not loaded the skill by then is working on something else. */
const MAX_TURNS = 8;

/** Holds one conversation; it ends when the model loads the skill, at any turn, or when it makes no more calls. */
async function runQuery(
  query: string,
  options: {
    readonly skill: Skill;
    readonly model: ChatModel;
    readonly desk: SkillDesk;
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
  },
): Promise<QueryRun> {
  const { skill, model, desk, timeoutMs, signal } = options;
  const deadline = AbortSignal.timeout(timeoutMs);
  const messages: ChatMessage[] = [
    { role: "system", content: desk.system },
    { role: "user", content: query },
  ];
  const others = new Set<string>();
  const usage: (TokenUsage | undefined)[] = [];
  const end = (outcome: QueryRun["outcome"], failure?: ModelFailure): QueryRun => ({
    outcome,
    usage,
    others: [...others],
    ...(failure && { failure }),
  });
  for (let turn = 1; turn <= MAX_TURNS; turn += 1) {
    const answer = await model.ask(messages, { tools: desk.tools, deadline, signal });
    if ("failure" in answer) {
      const { kind, message } = answer.failure;
      const told = kind === "timeout" ? `${message}: within ${timeoutMs} ms for one run` : message;
      return end("failed", { kind, message: told });
    }
    usage.push(answer.usage);
    if (answer.toolCalls.length === 0) return end("not-triggered");
    messages.push({ role: "assistant", content: answer.content, tool_calls: answer.toolCalls });
    let isLoaded = false;
    for (const call of answer.toolCalls) {
      const { loaded, text } = await desk.answer(call.function);
      for (const { qualifiedName } of loaded)
        if (qualifiedName === skill.qualifiedName) isLoaded = true;
        else others.add(qualifiedName);
      messages.push({ role: "tool", tool_call_id: call.id, content: text });
    }
    if (isLoaded) return end("triggered");
  }
  return end("not-triggered");
}
