import { buildEvaluation, runBench } from "./prepare.mjs";

await buildEvaluation();
runBench("evaluation/eval-scan-mutations.js", process.argv.slice(2));
