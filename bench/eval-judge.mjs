import { buildEvaluation, runBench } from "./prepare.mjs";

await buildEvaluation();
runBench("evaluation/eval-judge.js", process.argv.slice(2));
