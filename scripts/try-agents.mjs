// Runs real agents with Skillet against a scripted model on loopback, without an account: all, or those that are named as
// files of test/agents are, such as `hooks`. They are installed there first, some 1.3 GB.
import { installLocked, run, setUp } from "./set-up.mjs";

setUp();
if (!installLocked("test/agents")) process.exit(2);
const files = process.argv.slice(2).map((name) => `test/agents/${name}.test.ts`);
run("npx", ["--no-install", "vitest", "run", ...(files.length > 0 ? files : ["test/agents/"])], {
  env: { ...process.env, TRY_AGENTS: "1" },
});
