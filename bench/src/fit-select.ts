import { join } from "node:path";
import { parseArgs } from "node:util";
import { createRandom } from "./library/random.ts";
import { fitWeights } from "./select/evaluate.ts";
import { measureSet } from "./select/measured-set.ts";
import { measureSmallLibraries } from "./select/small-libraries.ts";
import { readTriggerSet } from "./select/trigger-set.ts";

const SEED = 7;

const { values } = parseArgs({
  options: {
    set: { type: "string", multiple: true, default: [] },
    distractors: { type: "string" },
  },
});
const { set: folders, distractors } = values;
if (folders.length === 0 || distractors === undefined) {
  console.error(`Usage: node bench/fit-select.mjs --set DIR [--set DIR] --distractors DIR

  DIR has \`queries.jsonl\`, the folder \`skills\`, and \`distractors.txt\` with paths below --distractors`);
  process.exitCode = 2;
} else {
  const sets = folders.map((folder) =>
    readTriggerSet({
      queries: join(folder, "queries.jsonl"),
      skills: join(folder, "skills"),
      distractors,
      distractorList: join(folder, "distractors.txt"),
    }),
  );
  // Shares of the most depend on who else is there: pools of several sizes keep the weights from leaning on one.
  const pools = sets.flatMap((set) => [measureSet(set, 0), measureSet(set, 500), measureSet(set)]);
  const small = sets.flatMap((set) => measureSmallLibraries(set, createRandom(SEED)));
  console.log(JSON.stringify(fitWeights(pools, { small }), undefined, 2));
}
