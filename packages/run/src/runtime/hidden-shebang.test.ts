import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeTree } from "@skillet/kit/files";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createRunner } from "../create-runner.ts";
import { noSandbox } from "../sandbox/no-sandbox.ts";
import { CountedFiles, digestOf, treeFiles } from "../stage/testing/tree-files.ts";
import { findLocalInterpreter } from "./find-local-interpreter.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skillet-shebang-")));
});
afterEach(() => removeTree(root));

const hasPerl = (await findLocalInterpreter("perl")) !== undefined;

// perl looks for a first line itself, after spaces and a byte order mark too, and starts the program that it names.
test.skipIf(!hasPerl).each([
  ["after a space", " #!/bin/echo started\nprint qq(perl\\n);\n"],
  ["after a byte order mark", "\ufeff#!/bin/echo started\nprint qq(perl\\n);\n"],
])(
  "a perl script does not start a program that is not let run through a first line %s",
  async (_where, text) => {
    const files = treeFiles({ "SKILL.md": "# x\n", "scripts/a.pl": text });
    const runner = createRunner({ sandbox: noSandbox(), home: join(root, "home") });
    const prepared = await runner.prepare({
      skill: { name: "x", qualifiedName: "x", treeDigest: digestOf(files) },
      path: "scripts/a.pl",
      facts: { executable: false, runtime: "perl" },
      target: "sandbox",
      files: new CountedFiles(files),
    });
    if (!("run" in prepared)) return expect(prepared).toMatchObject({ code: "unsupported-runtime" });
    const outcome = await prepared.run({
      args: [],
      cwd: "skill",
      protect: [],
      timeoutMs: 60_000,
      secrets: {},
      runId: "r",
    });
    expect(outcome.status === "refused" ? "" : outcome.stdout).not.toContain("started");
  },
);
