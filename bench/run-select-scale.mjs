import { runBench } from "./prepare.mjs";
import { buildSelectBench } from "./prepare-select.mjs";

await buildSelectBench();
runBench("select/select-scale.js", process.argv.slice(2));
