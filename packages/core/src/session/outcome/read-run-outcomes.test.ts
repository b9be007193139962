import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import { openRecorder } from "../records/recorder.ts";
import type { SessionRecord } from "../records/session-record.ts";
import { digestOf, POLICY } from "../records/testing/sample-records.ts";
import { readRunOutcomes } from "./read-run-outcomes.ts";

const OFFER: SessionRecord = {
  kind: "offer",
  message: "fill it",
  skills: [{ name: "pdf", tier: "suggest" }],
};
const ENDED: SessionRecord = { kind: "turn-ended" };

test("a recorded run tells what came of its skills", async () => {
  const runFolder = join(temporaryDirectory(), "run");
  const recorder = await openRecorder({ runFolder, runId: "run-1", clock: () => 0 });
  for (const record of [POLICY, OFFER, ENDED]) await recorder.append(record);
  expect(await readRunOutcomes(runFolder)).toEqual({
    runFolder,
    runId: "run-1",
    outcomes: [
      {
        name: "pdf",
        digest: digestOf("1"),
        origin: "local",
        outcome: "ignored",
        isDisplaced: false,
        message: "fill it",
      },
    ],
    diagnostics: [],
  });
});

test("what was recorded before a day is left out, and what is of no time as well", async () => {
  const runFolder = join(temporaryDirectory(), "run");
  let now = 1000;
  const recorder = await openRecorder({ runFolder, runId: "run-1", clock: () => now });
  for (const record of [POLICY, OFFER, ENDED]) await recorder.append(record);
  now = 5000;
  for (const record of [OFFER, ENDED]) await recorder.append(record);
  const timesFrom = async (since: number): Promise<number> =>
    (await readRunOutcomes(runFolder, { since })).outcomes.length;
  expect([await timesFrom(0), await timesFrom(2000), await timesFrom(9000)]).toEqual([2, 1, 0]);
});

test("a folder without a journal is no run", async () => {
  await expect(readRunOutcomes(temporaryDirectory())).rejects.toMatchObject({ code: "run-not-found" });
});

test("a run that never ends is read to a bound, and that is said", async () => {
  const runFolder = join(temporaryDirectory(), "run");
  mkdirSync(runFolder);
  const line = (sequence: number, record: SessionRecord): string =>
    JSON.stringify({ sequence, runId: "x", time: "t", record });
  const turns = Array.from({ length: 3000 }, (_, index) => [
    line(2 * index + 2, { kind: "outcome", name: "pdf", outcome: "used" }),
    line(2 * index + 3, ENDED),
  ]);
  writeFileSync(join(runFolder, "journal.jsonl"), `${[line(1, POLICY), ...turns.flat()].join("\n")}\n`);
  const { outcomes, diagnostics } = await readRunOutcomes(runFolder);
  expect(outcomes.length).toBe(1000);
  expect(diagnostics.map(({ code }) => code)).toEqual(["run-outcomes-cut"]);
  const idle = Array.from({ length: 200_001 }, (_, index) => line(index + 1, ENDED));
  writeFileSync(join(runFolder, "journal.jsonl"), `${idle.join("\n")}\n`);
  expect((await readRunOutcomes(runFolder)).diagnostics.map(({ code }) => code)).toEqual([
    "run-outcomes-cut",
  ]);
});
