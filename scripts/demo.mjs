// Sets up, then does the main job once on the bundled skills in a workspace that is thrown away.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setUp } from "./set-up.mjs";

setUp();

const root = join(import.meta.dirname, "..");
const scratch = mkdtempSync(join(tmpdir(), "skillet-demo-"));
const workspace = join(scratch, "workspace");
mkdirSync(workspace);

const script = "hello-world:scripts/hello.sh";
const steps = [
  ["show"],
  ["validate", join(root, "skills")],
  ["explain", "review-change"],
  ["catalog"],
  ...(hasSandbox() ? [["run", "hello-world", "scripts/hello.sh", "--allow", script]] : []),
];

process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
for (const args of steps) {
  console.log(`\n$ skillet ${args.join(" ").replaceAll(`${root}/`, "")}`);
  const { status } = spawnSync(process.execPath, [join(root, "packages/cli/bin/skillet.cjs"), ...args], {
    cwd: workspace,
    stdio: "inherit",
    env: { ...process.env, HOME: scratch, SKILLET_HOME: join(scratch, ".skillet") },
  });
  if (status !== 0) process.exit(status ?? 2);
}
if (!hasSandbox()) console.log("\nScripts were left out: they need bubblewrap. See: npx skillet doctor");
console.log("\nThe workspace is gone again. From here on: npx skillet --help");

function hasSandbox() {
  return (
    spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-all", "true"], { stdio: "ignore" }).status === 0
  );
}
