import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../packages/kit/src/testing/temporary-directory.ts";

const PACKAGE = fileURLToPath(new URL("../../packages/cli", import.meta.url));
const MAX_BYTES = 700_000;

/** The files of the build that a command loads, by running it in a process of its own. */
function filesLoadedBy(command: readonly string[]): readonly string[] {
  const home = temporaryDirectory();
  const script = `
    const { loadBundle, loaded } = require(${JSON.stringify(join(PACKAGE, "bin/load-bundle.cjs"))});
    const stream = { write: () => true };
    loadBundle("main.cjs")
      .runSkillet(${JSON.stringify(command)}, {
        version: "0.0.0",
        stdout: stream,
        stderr: stream,
        environment: { HOME: ${JSON.stringify(home)} },
        workingDirectory: ${JSON.stringify(home)},
      })
      .then(() => console.log(JSON.stringify([...loaded.keys()])));`;
  const { stdout, stderr } = spawnSync(process.execPath, ["-e", script], { encoding: "utf8" });
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

test("listing skills loads a small part of the code", () => {
  const files = filesLoadedBy(["show"]);
  expect(files).toContain("common.cjs");
  const heavy = [
    "hub.cjs",
    "mcp.cjs",
    "run.cjs",
    "scan.cjs",
    "select.cjs",
    "session.cjs",
    "shell.cjs",
    "yaml.cjs",
  ];
  expect(files.filter((file) => heavy.includes(file))).toEqual([]);
  const bytes = files.reduce((sum, file) => sum + statSync(join(PACKAGE, "dist", file)).size, 0);
  expect(bytes).toBeLessThan(MAX_BYTES);
});
