import { buildEvaluation, runBench } from "./prepare.mjs";

await buildEvaluation();
runBench("evaluation/eval-scan-code.js", process.argv.slice(2));
