import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createRandom } from "./library/random.ts";
import { measureAdversarial, renderAdversarial } from "./select/adversarial.ts";
import { measureBaselines, NOT_ASKED } from "./select/baselines.ts";
import {
  crossValidate,
  type EvaluatedSet,
  evaluateShipped,
  fitWeights,
  type Outcome,
  type Outcomes,
} from "./select/evaluate.ts";
import { measureLatency } from "./select/latency.ts";
import { measureSet } from "./select/measured-set.ts";
import {
  applyChoices,
  choicePrompts,
  readAnswers,
  sampleMessages,
  samplePrompts,
  samplesFrom,
  writePrompts,
} from "./select/model-files.ts";
import type { ModelPrompt } from "./select/product.ts";
import {
  figuresOf,
  renderSmall,
  renderSystems,
  renderThresholds,
  type Systems,
} from "./select/render-evaluation.ts";
import { measureEveryday, measureSmallLibraries } from "./select/small-libraries.ts";
import { readTriggerSet, type TriggerSet } from "./select/trigger-set.ts";

const USAGE = `Usage: npm run eval:select -- --set DIR [--set DIR] [options]

  --set DIR               a folder with \`queries.jsonl\`, rows of { id, query, skill, should_trigger, repo, style }, and the
                          folder \`skills\`; all sets are measured together, cross-validated by author
  --distractors DIR       other skills, among which those must be found
  --distractor-list FILE  which files of that folder, one relative path a line; without those in the \`targets.txt\` of a set
  --everyday FILE         messages that are about no skill, one a line: weights are fitted on them as well
  --before FILE           what an earlier selector made of the same messages, as --save wrote it
  --prompts DIR           write what a model would be asked about the last set: for sample messages of its skills and of those
                          that compete with them, and which of twenty skills is meant where the ranking is unsure of one of
                          300 messages, of each style its share
  --answers DIR           files of rows { id, answer } in samples/, choices/ and, with samples, enriched-choices/
  --save FILE             write what this one makes of them
  --shipped               by the weights that ship, which saw the messages, instead of fitting
  --fit                   only fit the weights on all of the sets, and print them
  --adversarial           what greedy descriptions take from the others, with the weights that ship
  --json                  print one JSON document`;

const SEED = 7;
process.exitCode = await main();

async function main(): Promise<number> {
  const options = parseOptions();
  if (options === undefined) {
    console.error(USAGE);
    return 2;
  }
  const places = { distractors: options.distractors, distractorList: options["distractor-list"] };
  const sets = options.set.map((folder) => readTriggerSet(folder, places));
  const baselines = sets.map(measureBaselines);
  const [last] = sets.slice(-1);
  const answersOf = (folder: string): ReadonlyMap<string, string> =>
    options.answers === undefined ? new Map() : readAnswers(join(options.answers, folder));
  const everyday =
    options.everyday === undefined ? [] : readFileSync(options.everyday, "utf8").trim().split("\n");
  const samples = last === undefined ? new Map() : samplesFrom(last, answersOf("samples"));
  const evaluated = sets.map((set, at) => ({
    ...toEvaluated(set, baselines[at]?.bm25 ?? [], everyday),
    ...(set === last && samples.size > 0 && { enriched: measureSet(set, undefined, samples) }),
  }));
  if (options.fit) {
    console.log(JSON.stringify(fitWeights(evaluated), undefined, 2));
    return 0;
  }
  const outcomes = options.shipped ? evaluateShipped(evaluated) : crossValidate(evaluated);
  const before = options.before === undefined ? {} : readOutcomes(options.before);
  const reports = sets.map((set, at) => {
    const known = before[set.name];
    const systems: Systems = {
      "BM25 with body": { outcomes: baselines[at]?.bm25 ?? [], isBaseline: true },
      minisearch: { outcomes: baselines[at]?.minisearch ?? [], isBaseline: true },
      ...(known !== undefined && { before: { outcomes: matchOutcomes(set, known) } }),
      now: { outcomes: outcomes[at]?.whole ?? [] },
      ...(set === last && withModel(set, outcomes[at], answersOf)),
    };
    return { set, systems, small: outcomes[at]?.small ?? [] };
  });
  if (options.prompts !== undefined && last !== undefined) {
    const { whole = [], enriched = [] } = outcomes.at(-1) ?? {};
    const write = (name: string, prompts: ReadonlyMap<string, ModelPrompt>): void => {
      if (prompts.size > 0) console.log(writePrompts(join(options.prompts ?? "", name), prompts));
    };
    write("samples", samplePrompts(last, whole));
    write("choices", choicePrompts(last, whole));
    write("enriched-choices", choicePrompts(last, enriched));
  }
  if (options.save !== undefined) writeOutcomes(options.save, reports);
  if (options.json) {
    const figures = reports.map(({ set, systems }) => [
      set.name,
      Object.fromEntries(Object.entries(systems).map(([name, one]) => [name, figuresOf(one.outcomes)])),
    ]);
    console.log(JSON.stringify(Object.fromEntries(figures), undefined, 2));
    return 0;
  }
  for (const { set, systems, small } of reports) {
    const { p50, p90, p99 } = await measureLatency(set);
    console.log(`## ${set.name}: ${set.queries.length} messages, ${set.skills.length} skills\n`);
    console.log(
      `${renderSystems(pick(systems, (name) => !isAsked(name)))}\n\n${renderThresholds(systems.now?.outcomes ?? [])}\n\n${renderSmall(small)}`,
    );
    if (set === last && Object.keys(systems).some(isAsked))
      console.log(
        `\n### Those that a model was asked about, where unsure\n\n${renderSystems(onSample(set, systems))}`,
      );
    console.log(
      `\na message: p50 ${p50.toFixed(2)} ms, p90 ${p90.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms\n`,
    );
    if (options.adversarial) console.log(`${renderAdversarial(await measureAdversarial(set))}\n`);
  }
  return 0;
}

/** A model is asked about a sample: its columns stand in a table of their own, with the others on the same messages. */
function isAsked(name: string): boolean {
  return name.includes("model asked");
}

function pick(systems: Systems, isWanted: (name: string) => boolean): Systems {
  return Object.fromEntries(Object.entries(systems).filter(([name]) => isWanted(name)));
}

function onSample(set: TriggerSet, systems: Systems): Systems {
  const sampled = sampleMessages(set);
  return Object.fromEntries(
    Object.entries(systems).map(([name, system]) => [
      name,
      { ...system, outcomes: system.outcomes.filter(({ query }) => sampled.has(query.id)) },
    ]),
  );
}

/** The columns that need a model's answers, as far as these are there. */
function withModel(
  set: TriggerSet,
  found: Outcomes[number] | undefined,
  answersOf: (folder: string) => ReadonlyMap<string, string>,
): Systems {
  const { whole = [], enriched = [] } = found ?? {};
  const [plain, better] = [answersOf("choices"), answersOf("enriched-choices")];
  return {
    ...(plain.size > 0 && { "a model asked": { outcomes: applyChoices(set, whole, plain) } }),
    ...(enriched.length > 0 && { "with samples": { outcomes: enriched } }),
    ...(enriched.length > 0 &&
      better.size > 0 && { "samples, model asked": { outcomes: applyChoices(set, enriched, better) } }),
  };
}

function toEvaluated(set: TriggerSet, bm25: readonly Outcome[], messages: readonly string[]): EvaluatedSet {
  return {
    whole: measureSet(set),
    pools: [measureSet(set, 0), measureSet(set, 500)],
    small: [
      ...measureSmallLibraries(set, createRandom(SEED)),
      ...(messages.length === 0 ? [] : measureEveryday(set, { messages, random: createRandom(SEED) })),
    ],
    guard: new Map(bm25.map(({ query, rank }) => [query.id, rank])),
  };
}

type SavedOutcomes = Readonly<
  Record<
    string,
    readonly { readonly id: string; readonly rank: number | null; readonly probability: number }[]
  >
>;

function writeOutcomes(
  file: string,
  reports: readonly { readonly set: TriggerSet; readonly systems: Systems }[],
): void {
  const saved = reports.map(({ set, systems }) => [
    set.name,
    systems.now?.outcomes.map(({ query, rank, probability }) => ({ id: query.id, rank, probability })),
  ]);
  writeFileSync(file, JSON.stringify(Object.fromEntries(saved)));
}

function readOutcomes(file: string): SavedOutcomes {
  return JSON.parse(readFileSync(file, "utf8")) as SavedOutcomes;
}

function matchOutcomes({ queries }: TriggerSet, saved: SavedOutcomes[string]): readonly Outcome[] {
  const byId = new Map(saved.map((one) => [one.id, one]));
  return queries.map((query) => {
    const { rank = null, probability = 0 } = byId.get(query.id) ?? {};
    return { query, rank: rank ?? Number.POSITIVE_INFINITY, probability, ...NOT_ASKED };
  });
}

function parseOptions() {
  try {
    const { values } = parseArgs({
      options: {
        set: { type: "string", multiple: true, default: [] },
        distractors: { type: "string" },
        "distractor-list": { type: "string" },
        everyday: { type: "string" },
        before: { type: "string" },
        prompts: { type: "string" },
        answers: { type: "string" },
        save: { type: "string" },
        shipped: { type: "boolean", default: false },
        fit: { type: "boolean", default: false },
        adversarial: { type: "boolean", default: false },
        json: { type: "boolean", default: false },
      },
    });
    return values.set.length === 0 ? undefined : values;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    console.error(error.message);
    return undefined;
  }
}
