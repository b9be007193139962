import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ScriptCall, ScriptOutcome, ScriptToRun } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import { removeTree } from "@skillet/kit/files";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createRunner } from "./create-runner.ts";
import type { Sandbox } from "./sandbox/sandbox.ts";
import { CountedFiles, digestOf, treeFiles } from "./stage/testing/tree-files.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skillet-prepared-")));
});
afterEach(() => removeTree(root));

const REPORT = { backend: "test", strength: "full", weaknesses: [], memoryLimit: "tree" } as const;

/** A sandbox with every interpreter in the world, which runs nothing. */
function emptySandbox(run: () => Promise<ScriptOutcome>): Sandbox {
  return {
    name: "test",
    probe: async () => ({ ok: true, report: REPORT }),
    findInterpreter: async (name) => ({ name, path: `/usr/bin/${name}` }),
    run,
  };
}

function scriptOf(text: string): ScriptToRun {
  const files = treeFiles({ "SKILL.md": "# x\n", "scripts/a": { executable: text } });
  return {
    skill: { name: "tester", qualifiedName: "tester", treeDigest: digestOf(files) },
    path: "scripts/a",
    facts: { executable: true, runtime: "unknown" },
    target: "sandbox",
    files: new CountedFiles(files),
  };
}

async function run(text: string, sandbox: Sandbox, cwd: ScriptCall["cwd"]) {
  const prepared = await createRunner({ sandbox, home: join(root, "home") }).prepare(scriptOf(text));
  if (!("run" in prepared)) throw new Error(prepared.message);
  return prepared.run({
    args: [],
    cwd,
    workspace: root,
    protect: [],
    timeoutMs: 60_000,
    secrets: {},
    runId: "run-1",
  });
}

test.each(["bun", "lua", "php"])(
  "%s, which runs what it finds in its working directory, is run in the skill's folder alone",
  async (command) => {
    const started: string[] = [];
    const sandbox = emptySandbox(async () => {
      started.push(command);
      return {
        status: "executed",
        exitCode: 0,
        stdout: "",
        stderr: "",
        truncated: { stdout: false, stderr: false },
        sandbox: REPORT,
        durationMs: 1,
        argv: [command],
        cwd: "/skill",
        diagnostics: [],
      };
    });
    const text = `#!/usr/bin/env ${command}\n`;
    expect(await run(text, sandbox, "workspace")).toEqual({
      status: "refused",
      code: "unsupported-runtime",
      message: `scripts/a is not run in the workspace: ${command} runs what it finds in its working directory. Start it in the skill's folder (cwd "skill"), or write it for another interpreter.`,
    });
    expect(started).toEqual([]);
    expect(await run(text, sandbox, "skill")).toMatchObject({ status: "executed" });
    expect(started).toEqual([command]);
  },
);

test("a run whose ending is unknown is thrown, neither executed nor refused", async () => {
  const lost = new SkilletError("sandbox-connection-lost", "The connection was lost while the script ran.");
  const sandbox = emptySandbox(() => Promise.reject(lost));
  await expect(run("#!/bin/sh\n", sandbox, "workspace")).rejects.toBe(lost);
});
