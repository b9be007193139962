import { buildInstallBench, runBench } from "./prepare.mjs";

await buildInstallBench();
runBench("install/verify.js", process.argv.slice(2));
