import { buildInstallBench, runBench } from "./prepare.mjs";

await buildInstallBench();
runBench("install/install-git.js", process.argv.slice(2));
