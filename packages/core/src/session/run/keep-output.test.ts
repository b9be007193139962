import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { digestBytes } from "@skillet/kit/digest";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import { skillText, writeTree } from "../../testing/write-tree.ts";
import { memoryJournal } from "../records/journal-store.ts";
import type { SessionOptions } from "../session.ts";
import { openSession, type TestSession } from "../testing/open-session.ts";
import { recordingRunner } from "../testing/recording-runner.ts";

async function runOnce(stdout: string, options: SessionOptions): Promise<TestSession> {
  const folder = writeTree(join(temporaryDirectory(), "skills"), {
    "pdf/SKILL.md": skillText("pdf"),
    "pdf/scripts/fill.sh": { text: "#!/bin/sh\n", mode: 0o755 },
  });
  const runner = recordingRunner({
    allow: ["pdf:scripts/fill.sh"],
    onRun: async () => ({ stdout, stderr: "odd" }),
  });
  const session = await openSession(folder, { runner, ...options });
  await session.activate("pdf");
  await session.run("pdf", "scripts/fill.sh");
  return session;
}

const outputsOf = ({ runFolder }: TestSession): string[] =>
  readdirSync(runFolder).filter((name) => name.startsWith("script-output-"));

test("what a script wrote is in no file unless the host wants it", async () => {
  const session = await runOnce("private", {});
  expect(outputsOf(session)).toEqual([]);
  expect(JSON.stringify(await session.recorded())).not.toContain("private");
});

test("where the host wants it, it is in a file of its own, without secrets, and the record names the file", async () => {
  const session = await runOnce("a token-value-1234 b", {
    recordOutput: true,
    secrets: { pdf: { TOKEN: "token-value-1234" } },
  });
  const [name = ""] = outputsOf(session);
  const path = join(session.runFolder, name);
  const bytes = readFileSync(path);
  expect(JSON.parse(bytes.toString())).toEqual({
    type: "skillet.script-output",
    truncated: { stdout: false, stderr: false },
    stdout: "a [redacted TOKEN] b",
    stderr: "odd",
  });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const run = (await session.recorded()).find(({ kind }) => kind === "script-execution");
  expect(run).toMatchObject({ outputFile: name, outputDigest: digestBytes(bytes) });
  await session.turn().end();
  expect((await session.skills.resume(session.runFolder)).diagnostics).toEqual([]);
});

test("of a flood its end is kept, and said to be that", async () => {
  const session = await runOnce(`${"x".repeat(300_000)}end`, { recordOutput: true });
  const [name = ""] = outputsOf(session);
  const { stdout, truncated } = JSON.parse(readFileSync(join(session.runFolder, name), "utf8"));
  expect([stdout.length, stdout.endsWith("xend"), truncated.stdout]).toEqual([256 * 1024, true, true]);
});

test("a store has no place for it, which is said at once", async () => {
  await expect(runOnce("", { recordOutput: true, records: memoryJournal() })).rejects.toMatchObject({
    code: "call-invalid",
  });
});
