import { buildEvaluation, runBench } from "./prepare.mjs";

await buildEvaluation();
runBench("evaluation/eval-scan-sets.js", process.argv.slice(2));
