// Runs the commands that people wait for, then keeps what V8 compiled for them: see bin/load-bundle.cjs.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import bundleLoader from "./bin/load-bundle.cjs";

const BUNDLES = ["main", "scan", "hub", "select"];

for (const name of BUNDLES) rmSync(bundleLoader.codeCache(name), { force: true });
const { exports } = bundleLoader.loadBundle("main");

const home = mkdtempSync(join(tmpdir(), "skillet-build-"));
const skill = join(home, ".agents/skills/odd-one");
const sink = { isTTY: false, write: () => true };

const COMMANDS = [
  ["show"],
  ["show", "--json"],
  ["explain", "odd-one"],
  ["validate", join(home, ".agents")],
  ["catalog"],
  ["search", "builds things"],
  ["scan", join(home, ".agents")],
  ["install", join(home, "new/fresh-one"), "--yes"],
  ["verify"],
  ["disable", "odd-one"],
  ["help"],
];

try {
  mkdirSync(skill, { recursive: true });
  // Plain, with a flow map, a requirement and an unquoted colon: the ways that headers usually are.
  writeFileSync(
    join(skill, "SKILL.md"),
    "---\nname: odd-one\ndescription: Builds: things.\nmetadata: {requires: {bins: [no-such-command]}}\n---\n\n# Odd\n",
  );
  mkdirSync(join(home, "new/fresh-one"), { recursive: true });
  writeFileSync(
    join(home, "new/fresh-one/SKILL.md"),
    "---\nname: fresh-one\ndescription: Does things.\n---\n\n# Fresh\n",
  );
  // Twice, so that the way with a warm discovery cache is in it too.
  for (const argv of [...COMMANDS, ...COMMANDS])
    await exports.runSkillet(argv, {
      version: "0.0.0",
      stdout: sink,
      stderr: sink,
      environment: { HOME: home, PATH: process.env.PATH },
      workingDirectory: home,
    });
  for (const name of BUNDLES) {
    const bundle = bundleLoader.loaded.get(name);
    if (bundle === undefined) throw new Error(`None of the commands loaded ${name}.cjs.`);
    writeFileSync(bundleLoader.codeCache(name), bundle.script.createCachedData());
  }
} finally {
  rmSync(home, { recursive: true });
}
