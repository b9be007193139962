import { buildEvaluation, runBench } from "./prepare.mjs";

await buildEvaluation();
runBench("evaluation/eval-scan-wild.js", process.argv.slice(2));
