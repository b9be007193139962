import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { PreparedScript, ScriptOutcome, ScriptRefusal } from "@skillet/core";
import { removeTree } from "@skillet/kit/files";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createRunner } from "./create-runner.ts";
import { noSandbox } from "./sandbox/no-sandbox.ts";
import { digestOf, treeFiles } from "./stage/testing/tree-files.ts";

let root: string;
let workspace: string;
const searchPath = process.env.PATH;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skillet-prepare-")));
  workspace = join(root, "workspace");
  mkdirSync(workspace);
});
afterEach(async () => {
  process.env.PATH = searchPath;
  await removeTree(root);
});

// A shell by another name, which runs what is valid as a shell's script too.
function install(path: string): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  copyFileSync(realpathSync("/bin/sh"), file);
  chmodSync(file, 0o755);
  process.env.PATH = [dirname(file), process.env.PATH].join(":");
}

async function prepare(writable: readonly string[] = []): Promise<PreparedScript | ScriptRefusal> {
  const files = treeFiles({ "SKILL.md": "# x\n", "scripts/x.ts": "echo ran\n" });
  const runner = createRunner({ sandbox: noSandbox(), home: join(root, "home"), writable });
  return runner.prepare({
    skill: { name: "tester", qualifiedName: "user:tester", treeDigest: digestOf(files) },
    path: "scripts/x.ts",
    facts: { executable: false, runtime: "unknown" },
    target: "sandbox",
    files: (async function* () {
      yield* files;
    })(),
  });
}

async function run(prepared: PreparedScript | ScriptRefusal): Promise<ScriptOutcome | ScriptRefusal> {
  if (!("run" in prepared)) return prepared;
  const call = {
    args: [],
    cwd: "skill",
    protect: [],
    timeoutMs: 60_000,
    secrets: {},
    runId: "run-1",
  } as const;
  return prepared.run({ ...call, workspace });
}

test("an interpreter of the operator's PATH is taken", async () => {
  install("tools/bin/bun");
  expect(await prepare()).toMatchObject({ runtime: "bun" });
});

test("an interpreter that lies in the workspace is not started, though the workspace is known last", async () => {
  install("workspace/bin/bun");
  expect(await run(await prepare())).toMatchObject({ status: "refused", code: "unsupported-runtime" });
});

test("one outside is taken instead of one in the workspace", async () => {
  install("tools/bin/bun");
  install("workspace/bin/bun");
  const outcome = await run(await prepare());
  expect(outcome).toMatchObject({
    status: "executed",
    argv: expect.arrayContaining([join(root, "tools/bin/bun")]),
  });
});

test("an interpreter in a folder that scripts may write is not found at all", async () => {
  install("results/bin/bun");
  expect(await prepare([join(root, "results")])).not.toMatchObject({ runtime: "bun" });
});
