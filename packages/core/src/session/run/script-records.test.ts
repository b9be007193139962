import { readFileSync } from "node:fs";
import { join } from "node:path";
import { digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { beforeEach, describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import { skillText, writeTree } from "../../testing/write-tree.ts";
import { summariseRun } from "../records/summarise-run.ts";
import { refuse } from "../script-runner.ts";
import { openSession, type TestSession } from "../testing/open-session.ts";
import { type RecordingRunnerOptions, recordingRunner } from "../testing/recording-runner.ts";

const MAIN = "#!/bin/bash\n";
let folder: string;
beforeEach(() => {
  folder = writeTree(join(temporaryDirectory(), "skills"), {
    "tools/SKILL.md": skillText("tools"),
    "tools/scripts/main.sh": MAIN,
  });
});

async function open(options: RecordingRunnerOptions = {}): Promise<TestSession> {
  const session = await openSession(folder, { runner: recordingRunner(options) });
  await session.activate("tools");
  return session;
}

test("a run is recorded with what ran, how it ended and what held it, but not with what it wrote", async () => {
  const session = await open({
    onRun: async () => ({
      status: "timed-out",
      signal: "SIGKILL",
      stdout: "hidden-output",
      stderr: "hidden-error",
      truncated: { stdout: true, stderr: false },
      limit: "memory",
      durationMs: 5.4,
      grants: { network: ["example.org"], writable: ["/workspace"] },
    }),
  });
  const run = await session.run("tools", "scripts/main.sh", ["a"]);
  if (run.status === "refused") throw new Error(run.message);
  const digest = digestBytes(Buffer.from(MAIN));
  expect((await session.recorded()).at(-1)).toEqual({
    kind: "script-execution",
    skillName: "tools",
    path: "scripts/main.sh",
    sourceId: `file:${folder}`,
    folder: "tools",
    skillPath: join(folder, "tools/SKILL.md"),
    skillDir: join(folder, "tools"),
    status: "executed",
    outcome: "timed-out",
    executionTarget: "sandbox",
    runtime: "bash",
    argv: ["bash", "/skill/scripts/main.sh"],
    args: ["a"],
    cwd: "/workspace",
    resourcePath: join(folder, "tools/scripts/main.sh"),
    registryDigest: digest,
    observedDigest: digest,
    digestMatchesRegistry: true,
    registrySizeBytes: MAIN.length,
    observedSizeBytes: MAIN.length,
    treeDigest: run.treeDigest,
    exitCode: 0,
    signal: "SIGKILL",
    timedOut: true,
    cancelled: false,
    truncated: { stdout: true, stderr: false },
    limit: "memory",
    sandbox: { backend: "memory", strength: "full", weaknesses: [], memoryLimit: "tree" },
    grants: { network: ["example.org"], writable: ["/workspace"] },
    durationMs: 5,
    diagnostics: [],
  });
  await session.turn().end();
  const artefact = readFileSync(join(session.runFolder, "skill-script-executions.json"), "utf8");
  expect(JSON.parse(artefact).executions).toMatchObject([
    { path: "scripts/main.sh", status: "executed", outcome: "timed-out", sandbox: { backend: "memory" } },
  ]);
  expect(artefact + readFileSync(join(session.runFolder, "journal.jsonl"), "utf8")).not.toContain("hidden-");
  expect((await summariseRun(session.runFolder)).events.at(-2)).toMatchObject({
    what: "run",
    outcome: "failed",
    reason:
      "ended at its deadline, at its limit of memory; arguments: a; network: example.org; writable: /workspace",
  });
});

test("a refusal of the runner is recorded like one of the session", async () => {
  const session = await open({ onRun: async () => refuse("too-many-runs", "Others are running.") });
  expect(await session.run("tools", "scripts/main.sh")).toMatchObject({ code: "too-many-runs" });
  expect((await session.recorded()).at(-1)).toMatchObject({
    status: "error",
    runtime: "bash",
    error: { code: "too-many-runs", message: "Others are running." },
  });
});

describe("a fault of the world is thrown, and recorded", () => {
  test.each([
    [new SkilletError("sandbox-broken", "It broke."), { code: "sandbox-broken", message: "It broke." }],
    [new TypeError("Odd."), { code: "unknown", message: "Odd." }],
  ])("%s", async (fault, error) => {
    const fail = (): never => {
      throw fault;
    };
    for (const options of [{ onPrepare: fail }, { onRun: async () => fail() }]) {
      const session = await open(options);
      await expect(session.run("tools", "scripts/main.sh")).rejects.toBe(fault);
      expect((await session.recorded()).at(-1)).toMatchObject({ status: "error", error });
    }
  });
});

test.each([
  [
    "throws",
    () => {
      throw new Error("Host.");
    },
  ],
  [
    "rejects",
    async () => {
      throw new Error("Host.");
    },
  ],
])("a host whose onOutput %s gets its result, a warning and the record", async (_how, onOutput) => {
  let heard = 0;
  const session = await open({
    onRun: async (call) => {
      for (let count = 0; count < 3; count += 1) {
        call.onOutput?.("stdout", Buffer.from("x"));
        await Promise.resolve();
        await Promise.resolve();
      }
      return undefined;
    },
  });
  const run = await session.run("tools", "scripts/main.sh", [], {
    onOutput: () => {
      heard += 1;
      return onOutput();
    },
  });
  expect(run).toMatchObject({ status: "executed", diagnostics: [{ code: "script-output-unheard" }] });
  expect((await session.recorded()).at(-1)).toMatchObject({
    status: "executed",
    diagnostics: [{ code: "script-output-unheard" }],
  });
  expect(heard).toBe(1);
});

test("what a runner says that is no number does not cost the record", async () => {
  const session = await open({ onRun: async () => ({ exitCode: Number.NaN, durationMs: -1 }) });
  await session.run("tools", "scripts/main.sh");
  expect((await session.recorded()).at(-1)).toMatchObject({ status: "executed" });
});
