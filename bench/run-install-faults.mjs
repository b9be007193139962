import { buildInstallBench, runBench } from "./prepare.mjs";

await buildInstallBench();
runBench("install/install-faults.js", process.argv.slice(2));
