import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeTree } from "@skillet/kit/files";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createRunner } from "./create-runner.ts";
import { noSandbox } from "./sandbox/no-sandbox.ts";
import { CountedFiles, digestOf, treeFiles } from "./stage/testing/tree-files.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skillet-prepare-")));
});
afterEach(() => removeTree(root));

test("a skill whose twin is staged in another spelling is staged anew and prepared", async () => {
  const runner = createRunner({ sandbox: noSandbox(), home: join(root, "home") });
  const prepare = (name: string) => {
    const files = treeFiles({ "SKILL.md": "# x\n", "scripts/x.sh": "echo ran\n", [`data/${name}.txt`]: "x" });
    return runner.prepare({
      skill: { name: "tester", qualifiedName: "user:tester", treeDigest: digestOf(files) },
      path: "scripts/x.sh",
      facts: { executable: false, runtime: "bash" },
      target: "sandbox",
      files: new CountedFiles(files),
    });
  };
  expect(await prepare("\u00c5")).toHaveProperty("run");
  expect(await prepare("A\u030a")).toHaveProperty("run");
});
