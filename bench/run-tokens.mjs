import { buildBench, buildPackages, runBench } from "./prepare.mjs";

buildPackages();
await buildBench();
runBench("tokens.js", process.argv.slice(2));
