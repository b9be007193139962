// Runs the commands that people wait for, then keeps what V8 compiled for them: see bin/load-bundle.cjs.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import bundleLoader from "./bin/load-bundle.cjs";

const dist = join(import.meta.dirname, "dist");
for (const file of readdirSync(dist)) if (file.endsWith(".code-cache")) rmSync(join(dist, file));
const { runSkillet } = bundleLoader.loadBundle("main.cjs");

const home = mkdtempSync(join(tmpdir(), "skillet-build-"));
const skill = join(home, ".agents/skills/odd-one");
const sink = { isTTY: false, write: () => true };

const LOOKING = [
  ["show"],
  ["show", "--json"],
  ["explain", "odd-one"],
  ["catalog"],
  ["search", "builds things"],
];

// They load much more, so that what they share with the others is kept before they run: V8 reads a cache whole.
const WORKING = [
  ["validate", join(home, ".agents")],
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
  for (const commands of [LOOKING, WORKING]) {
    // Twice, so that the way with a warm discovery cache is in it too.
    for (const argv of [...commands, ...commands])
      await runSkillet(argv, {
        version: "0.0.0",
        stdout: sink,
        stderr: sink,
        environment: { HOME: home, PATH: process.env.PATH },
        workingDirectory: home,
      });
    for (const [name, { script }] of bundleLoader.loaded)
      if (!existsSync(bundleLoader.codeCache(name)))
        writeFileSync(bundleLoader.codeCache(name), script.createCachedData());
  }
} finally {
  rmSync(home, { recursive: true });
}
