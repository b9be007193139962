import { buildBench, buildPackages, runBench } from "./prepare.mjs";

buildPackages();
await buildBench();
runBench("sessions.js", process.argv.slice(2));
