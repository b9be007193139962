// Sets up, installs what tests need from the system where it may, then runs them all.

import { run, setUp } from "./set-up.mjs";
import { installSystemPackages } from "./system-packages.mjs";

setUp();
installSystemPackages();
run("npx", ["--no-install", "vitest", "run", ...process.argv.slice(2)]);
