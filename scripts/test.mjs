// Sets up, installs what tests need from the system where it may, then runs them all.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { run, setUp } from "./set-up.mjs";
import { installSystemPackages } from "./system-packages.mjs";

setUp();
installSystemPackages();
installEdgeTools();
run("npx", ["--no-install", "vitest", "run", ...process.argv.slice(2)]);

// A bundler and an edge runtime of 145 MB, for one test, which is skipped without them.
function installEdgeTools() {
  const cwd = join(import.meta.dirname, "../test/edge");
  if (!existsSync(join(cwd, "node_modules"))) spawnSync("npm", ["ci"], { cwd, stdio: "inherit" });
}
