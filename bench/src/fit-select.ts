import { parseArgs } from "node:util";
import { createRandom } from "./library/random.ts";
import { fitWeights } from "./select/evaluate.ts";
import { standingsOf } from "./select/fit-weights.ts";
import { measureSet } from "./select/measured-set.ts";
import { measureSmallLibraries } from "./select/small-libraries.ts";
import { readTriggerSet } from "./select/trigger-set.ts";

const SEED = 7;

const { values } = parseArgs({
  options: {
    queries: { type: "string" },
    skills: { type: "string" },
    distractors: { type: "string" },
    "distractor-list": { type: "string" },
  },
});
const { queries, skills, distractors, "distractor-list": distractorList } = values;
if (queries === undefined || skills === undefined) {
  console.error(
    "Usage: node bench/fit-select.mjs --queries Q.jsonl --skills DIR [--distractors DIR [--distractor-list FILE]]",
  );
  process.exitCode = 2;
} else {
  const set = readTriggerSet({
    queries,
    skills,
    ...(distractors !== undefined && { distractors }),
    ...(distractorList !== undefined && { distractorList }),
  });
  // Shares of the most depend on who else is there: pools of several sizes keep the weights from leaning on one.
  const whole = measureSet(set);
  const pools = [measureSet(set, 0), measureSet(set, 500), whole];
  const small = measureSmallLibraries(set, createRandom(SEED));
  const weights = fitWeights(pools, { small });
  const standings = standingsOf(whole.queries, weights.rank);
  const meanOf = (shouldTrigger: boolean): number => {
    const scores = standings
      .filter(({ query }) => query.shouldTrigger === shouldTrigger)
      .map(({ fused }) => fused?.score ?? 0);
    return scores.reduce((sum, score) => sum + score, 0) / (scores.length || 1);
  };
  const usual = { wanted: meanOf(true), unwanted: meanOf(false) };
  console.log(JSON.stringify({ ...weights, usual }, undefined, 2));
}
