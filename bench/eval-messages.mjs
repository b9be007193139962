import { runBench } from "./prepare.mjs";
import { buildSelectBench } from "./prepare-select.mjs";

await buildSelectBench();
runBench("select/eval-messages.js", process.argv.slice(2));
