import { runBench } from "./prepare.mjs";
import { buildSelectBench } from "./prepare-select.mjs";

await buildSelectBench();
runBench("select/eval-bundled.js", process.argv.slice(2));
