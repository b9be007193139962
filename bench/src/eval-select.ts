import { parseArgs } from "node:util";
import { createRandom } from "./library/random.ts";
import { measureAblation, renderAblation } from "./select/ablation.ts";
import { measureAdversarial, renderAdversarial } from "./select/adversarial.ts";
import { measureBaselines } from "./select/baselines.ts";
import {
  crossValidate,
  evaluateShipped,
  summarise,
  summariseSmall,
  thresholdsOf,
} from "./select/evaluate.ts";
import { measureLatency } from "./select/latency.ts";
import { measureSet } from "./select/measured-set.ts";
import { renderEvaluation } from "./select/render-evaluation.ts";
import { measureSmallLibraries } from "./select/small-libraries.ts";
import { readTriggerSet } from "./select/trigger-set.ts";

const USAGE = `Usage: npm run eval:select -- --queries Q.jsonl --skills DIR [options]

  --queries FILE          rows of { query, skill, should_trigger, lang?, repo? }, one JSON object a line
  --skills DIR            the skills that messages are about, one folder each, named as in the rows
  --distractors DIR       other skills, among which those must be found
  --distractor-list FILE  which files of that folder, one relative path a line
  --cross-validate        fit the weights anew, each message by those that saw nothing of its repository
  --ablation              what each signal brings, cross-validated
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
  const set = readTriggerSet(options);
  const measured = measureSet(set);
  const pools = options.crossValidate ? [measureSet(set, 0), measureSet(set, 500), measured] : [measured];
  const small = measureSmallLibraries(set, createRandom(SEED));
  const outcomes = options.crossValidate
    ? crossValidate(measured, { pools, small })
    : evaluateShipped(measured, small);
  const smallLibraries = summariseSmall(outcomes.small);
  const skillet = {
    ...summarise(outcomes.whole, createRandom(SEED).next),
    latencyMs: await measureLatency(set),
  };
  const baselines = measureBaselines(set);
  const ablation = options.ablation ? measureAblation(measured) : undefined;
  const adversarial = options.adversarial ? await measureAdversarial(set) : undefined;
  if (options.json) {
    const more = { ...(ablation && { ablation }), ...(adversarial && { adversarial }) };
    const thresholds = thresholdsOf(outcomes.whole);
    console.log(JSON.stringify({ skillet, baselines, smallLibraries, thresholds, ...more }, undefined, 2));
    return 0;
  }
  const { unread } = set;
  console.log(renderEvaluation({ skillet, smallLibraries, baselines, skills: set.skills.length, unread }));
  if (ablation !== undefined) console.log(`\n${renderAblation(ablation)}`);
  if (adversarial !== undefined) console.log(`\n${renderAdversarial(adversarial)}`);
  return 0;
}

function parseOptions():
  | {
      readonly queries: string;
      readonly skills: string;
      readonly distractors?: string;
      readonly distractorList?: string;
      readonly crossValidate: boolean;
      readonly ablation: boolean;
      readonly adversarial: boolean;
      readonly json: boolean;
    }
  | undefined {
  try {
    const { values } = parseArgs({
      options: {
        queries: { type: "string" },
        skills: { type: "string" },
        distractors: { type: "string" },
        "distractor-list": { type: "string" },
        "cross-validate": { type: "boolean", default: false },
        ablation: { type: "boolean", default: false },
        adversarial: { type: "boolean", default: false },
        json: { type: "boolean", default: false },
      },
    });
    const {
      queries,
      skills,
      distractors,
      "distractor-list": distractorList,
      ablation,
      adversarial,
      json,
    } = values;
    if (queries === undefined || skills === undefined) return undefined;
    return {
      queries,
      skills,
      crossValidate: values["cross-validate"],
      ablation,
      adversarial,
      json,
      ...(distractors !== undefined && { distractors }),
      ...(distractorList !== undefined && { distractorList }),
    };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    console.error(error.message);
    return undefined;
  }
}
