import { parseArgs } from "node:util";
import { examplesOf, fitDecisionWeights, fitRankWeights, standingsOf } from "./select/fit-weights.ts";
import { measureSet } from "./select/measured-set.ts";
import { readTriggerSet } from "./select/trigger-set.ts";

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
  const pools = [0, 500, Number.POSITIVE_INFINITY].map((size) => measureSet(set, size));
  const rank = fitRankWeights(pools.flatMap((pool) => pool.queries));
  const whole = pools.at(-1);
  const standings = whole === undefined ? [] : standingsOf(whole.queries, rank);
  const examples = whole === undefined ? [] : examplesOf(standings, whole.rarityOf);
  const meanOf = (shouldTrigger: boolean): number => {
    const scores = standings
      .filter(({ query }) => query.shouldTrigger === shouldTrigger)
      .map(({ fused }) => fused?.score ?? 0);
    return scores.reduce((sum, score) => sum + score, 0) / (scores.length || 1);
  };
  const usual = { wanted: meanOf(true), unwanted: meanOf(false) };
  console.log(
    JSON.stringify({ rank, decision: fitDecisionWeights(standings, examples), usual }, undefined, 2),
  );
}
