import { buildBench, buildPackages, runBench } from "./prepare.mjs";

buildPackages();
await buildBench();
runBench("corpus.js", process.argv.slice(2));
