import { expect, test } from "vitest";
import { memoryRecorder } from "./memory-recorder.ts";
import type { SessionRecord } from "./session-record.ts";
import { clock, NOW, POLICY, REFUSAL } from "./testing/sample-records.ts";

test("records are kept as a journal would give them, and as they were when given", async () => {
  const recorder = memoryRecorder({ runId: "42", clock });
  const scripts = ["pdf:scripts/a.sh"];
  const subject = "x".repeat(9000);
  await recorder.append({ ...POLICY, scripts });
  await recorder.append({ ...REFUSAL, subject });
  scripts.push("pdf:scripts/b.sh");
  expect([recorder.runFolder, recorder.dropped, recorder.entries]).toEqual([
    undefined,
    0,
    [
      { sequence: 1, runId: "42", time: NOW, record: { ...POLICY, scripts: ["pdf:scripts/a.sh"] } },
      {
        sequence: 2,
        runId: "42",
        time: NOW,
        record: { ...REFUSAL, subject: `${"x".repeat(8191)}…` },
        shortened: {
          count: 1,
          fields: [{ field: "subject", length: 9000, digest: expect.stringMatching(/^sha256:/) }],
        },
      },
    ],
  ]);
});

test("a record that a journal would refuse is refused", async () => {
  const recorder = memoryRecorder({ runId: "42", clock });
  await expect(recorder.append({ kind: "gossip" } as unknown as SessionRecord)).rejects.toMatchObject({
    code: "record-invalid",
  });
  expect(recorder.entries).toEqual([]);
});

test("the newest ten thousand are kept, and the others counted", async () => {
  const recorder = memoryRecorder({ runId: "42", clock });
  for (let index = 0; index < 20_005; index++) await recorder.append(REFUSAL);
  const { entries, dropped } = recorder;
  expect([entries.length, dropped, entries[0]?.sequence, entries.at(-1)?.sequence]).toEqual([
    10_000, 10_005, 10_006, 20_005,
  ]);
});
