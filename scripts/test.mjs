// Sets up, installs what tests need from the system where it may, then runs them all.

import { installLocked, run, setUp } from "./set-up.mjs";
import { installSystemPackages } from "./system-packages.mjs";

setUp();
installSystemPackages();
// Each for a few tests, which are skipped without them: a bundler and an edge runtime of 145 MB, SDKs of 173 MB, and newer
// ones with a Node of their own, 350 MB; clients of MCP.
for (const folder of ["test/edge", "examples", "test/sdks", "test/mcp"])
  if (!installLocked(folder)) console.warn(`The tests that need ${folder}/node_modules are skipped.`);
run("npx", ["--no-install", "vitest", "run", ...process.argv.slice(2)]);
