import { buildBench, buildPackages, runBench } from "./prepare.mjs";

buildPackages();
await buildBench();
runBench("scripts.js", process.argv.slice(2));
