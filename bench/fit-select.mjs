import { runBench } from "./prepare.mjs";
import { buildSelectBench } from "./prepare-select.mjs";

await buildSelectBench();
runBench("select/fit-select.js", process.argv.slice(2));
