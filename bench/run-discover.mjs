import { buildBench, buildPackages, runBench } from "./prepare.mjs";

buildPackages();
await buildBench();
runBench("discover.js", process.argv.slice(2));
