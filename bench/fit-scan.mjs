import { buildEvaluation, runBench } from "./prepare.mjs";

await buildEvaluation();
runBench("evaluation/fit-scan.js", process.argv.slice(2));
