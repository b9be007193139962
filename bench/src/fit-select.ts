import { parseArgs } from "node:util";
import { createRandom } from "./library/random.ts";
import { fitWeights } from "./select/evaluate.ts";
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
  console.log(JSON.stringify(weights, undefined, 2));
}
