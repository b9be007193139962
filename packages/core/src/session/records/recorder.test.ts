import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { digestBytes } from "@skillet/kit/digest";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import { MAX_JOURNAL_BYTES, readJournal } from "./journal.ts";
import { openRecorder, type Recorder } from "./recorder.ts";
import type { SessionRecord } from "./session-record.ts";
import { arbitraryRecord } from "./testing/arbitrary-record.ts";
import { ACTIVATION, clock, EXECUTION, NOW, POLICY, READ, REFUSAL } from "./testing/sample-records.ts";

describe("openRecorder", () => {
  test("writes each record as a line with its number, run and time", async () => {
    const { recorder, journal, runFolder } = await newRun();
    await recorder.append(REFUSAL);
    await recorder.append(READ);
    expect(readFileSync(journal, "utf8")).toBe(
      [REFUSAL, READ]
        .map((record, index) => JSON.stringify({ sequence: index + 1, runId: "42", time: NOW, record }))
        .map((line) => `${line}\n`)
        .join(""),
    );
    expect(await readJournal(runFolder)).toEqual({
      exists: true,
      entries: [
        { sequence: 1, runId: "42", time: NOW, record: REFUSAL },
        { sequence: 2, runId: "42", time: NOW, record: READ },
      ],
      diagnostics: [],
      lastSequence: 2,
    });
  });

  test("the journal and its folder are the owner's alone, and no lock is left behind", async () => {
    const { recorder, runFolder, journal } = await newRun();
    await recorder.append(REFUSAL);
    expect([statSync(runFolder).mode & 0o777, statSync(journal).mode & 0o777]).toEqual([0o700, 0o600]);
    expect(readdirSync(runFolder)).toEqual(["journal.jsonl"]);
  });

  test("nothing is written before the first record", async () => {
    const { runFolder } = await newRun();
    expect(readdirSync(runFolder)).toEqual([]);
    expect(await readJournal(runFolder)).toEqual({
      exists: false,
      entries: [],
      diagnostics: [],
      lastSequence: 0,
    });
  });

  test("records that are given at once keep their order", async () => {
    const { recorder, runFolder } = await newRun();
    const subjects = Array.from({ length: 200 }, (_, index) => `tool ${index}`);
    await Promise.all(subjects.map((subject) => recorder.append({ ...REFUSAL, subject })));
    const { entries } = await readJournal(runFolder);
    expect(entries.map(({ record }) => (record as typeof REFUSAL).subject)).toEqual(subjects);
  });

  test("what is changed after the call is not in the record", async () => {
    const { recorder, runFolder } = await newRun();
    const skills = ["pdf"];
    const written = recorder.append({ ...POLICY, scripts: skills });
    skills.push("other");
    await written;
    const { entries } = await readJournal(runFolder);
    expect((entries[0]!.record as typeof POLICY).scripts).toEqual(["pdf"]);
  });

  test("a record that could not be read back is refused, and those around it are written", async () => {
    const { recorder, runFolder } = await newRun();
    const bad = { ...ACTIVATION, digest: "sha256:x" } as const;
    const outcomes = await Promise.allSettled([
      recorder.append(REFUSAL),
      recorder.append(bad),
      recorder.append({ kind: "gossip" } as unknown as SessionRecord),
      recorder.append({ ...EXECUTION, exitCode: Number.NaN }),
      recorder.append(READ),
    ]);
    expect(
      outcomes.map((outcome) => (outcome.status === "rejected" ? outcome.reason.code : "written")),
    ).toEqual(["written", "record-invalid", "record-invalid", "record-invalid", "written"]);
    expect((await readJournal(runFolder)).entries).toHaveLength(2);
  });

  test.each(["", "x".repeat(201)])("an id of a run that is empty or endless is refused", async (runId) => {
    const runFolder = join(temporaryDirectory(), "run");
    await expect(openRecorder({ runFolder, runId, clock })).rejects.toMatchObject({ code: "run-id-invalid" });
    expect(existsSync(runFolder)).toBe(false);
  });
});

describe("what is too long", () => {
  test("long texts are cut at a character, marked, and named with their length and digest", async () => {
    const { recorder, runFolder } = await newRun();
    const subject = `${"x".repeat(8190)}💡${"y".repeat(100)}`;
    await recorder.append({ ...REFUSAL, subject });
    expect((await readJournal(runFolder)).entries[0]).toEqual({
      sequence: 1,
      runId: "42",
      time: NOW,
      record: { ...REFUSAL, subject: `${"x".repeat(8190)}…` },
      shortened: {
        count: 1,
        fields: [
          {
            field: "subject",
            length: subject.length,
            digest: digestBytes(Buffer.from(JSON.stringify(subject))),
          },
        ],
      },
    });
  });

  test("a record beyond the line's limit is shortened further until it fits, and is still read", async () => {
    const { recorder, runFolder } = await newRun();
    const args = Array.from({ length: 50_000 }, (_, index) => `${index} ${"x".repeat(1000)}`);
    await recorder.append({ ...EXECUTION, args });
    await recorder.append(REFUSAL);
    const { entries, diagnostics } = await readJournal(runFolder);
    expect(diagnostics).toEqual([]);
    const [first, second] = entries;
    expect((first!.record as typeof EXECUTION).args).toEqual(args.slice(0, 10_000));
    expect(first!.shortened).toEqual({
      count: 1,
      fields: [{ field: "args", length: 50_000, digest: digestBytes(Buffer.from(JSON.stringify(args))) }],
    });
    expect(second!.sequence).toBe(2);
  });

  test("a hundred thousand skills by name and digest are written whole", async () => {
    const { recorder, runFolder } = await newRun();
    const [skill] = POLICY.skills;
    const skills = Array.from({ length: 100_000 }, (_, index) => ({
      name: `a-skill-with-a-name-${index}`,
      digest: skill!.digest,
      origin: "local",
    }));
    await recorder.append({ ...POLICY, skills });
    const [entry] = (await readJournal(runFolder)).entries;
    expect(entry!.shortened).toBeUndefined();
    expect((entry!.record as typeof POLICY).skills).toEqual(skills);
  });

  test("many shortened fields are counted, and the first of them named", async () => {
    const { recorder, runFolder } = await newRun();
    await recorder.append({ ...EXECUTION, args: Array(60).fill("x".repeat(9000)) });
    const { shortened } = (await readJournal(runFolder)).entries[0]!;
    expect([shortened?.count, shortened?.fields.length, shortened?.fields[49]?.field]).toEqual([
      60,
      50,
      "args[49]",
    ]);
  });

  test("a journal that has reached its limit takes no more, and is left as it was", async () => {
    const { recorder, journal } = await newRun();
    await recorder.append(REFUSAL);
    const line = readFileSync(journal, "utf8");
    // The space in between is a hole, so this costs neither time nor disk.
    const descriptor = openSync(journal, "r+");
    writeSync(descriptor, `\n${line}`, MAX_JOURNAL_BYTES - 600);
    closeSync(descriptor);
    const { size } = statSync(journal);
    await expect(recorder.append(READ)).rejects.toMatchObject({ code: "records-full" });
    expect(statSync(journal).size).toBe(size);
  });
});

describe("links and other files in the journal's place", () => {
  test("a link, a FIFO or a folder is refused without waiting, and nothing is written through it", async () => {
    for (const prepare of [
      (path: string) => symlinkSync("../outside", path),
      (path: string) => execFileSync("mkfifo", [path]),
      (path: string) => mkdirSync(path),
    ]) {
      const { recorder, journal, runFolder } = await newRun();
      const outside = join(runFolder, "../outside");
      writeFileSync(outside, "");
      prepare(journal);
      await expect(recorder.append(REFUSAL)).rejects.toMatchObject({ code: "records-unavailable" });
      await expect(readJournal(runFolder)).rejects.toMatchObject({ code: "records-unavailable" });
      expect(readFileSync(outside, "utf8")).toBe("");
    }
  });

  test("a run folder that is a link, or no folder, is refused", async () => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, "elsewhere"));
    symlinkSync("elsewhere", join(directory, "link"));
    writeFileSync(join(directory, "file"), "");
    for (const name of ["link", "file"])
      await expect(
        openRecorder({ runFolder: join(directory, name), runId: "42", clock }),
      ).rejects.toMatchObject({ code: "records-unavailable" });
    expect(readdirSync(join(directory, "elsewhere"))).toEqual([]);
  });

  test("a link where a torn line would be moved to is not followed", async () => {
    const { recorder, journal, runFolder } = await newRun();
    writeFileSync(journal, "torn");
    const aside = `${journal}.torn-${digestBytes(Buffer.from("torn")).slice(7, 23)}`;
    writeFileSync(join(runFolder, "mine"), "mine");
    symlinkSync("mine", aside);
    await expect(recorder.append(REFUSAL)).rejects.toMatchObject({ code: "link-refused" });
    expect([readFileSync(journal, "utf8"), readFileSync(join(runFolder, "mine"), "utf8")]).toEqual([
      "torn",
      "mine",
    ]);
  });
});

describe("after a crash", () => {
  test("a last line cut anywhere is moved aside and recorded, and the next record follows", async () => {
    const { recorder, journal, runFolder } = await newRun();
    await recorder.append(REFUSAL);
    const start = statSync(journal).size;
    await recorder.append(ACTIVATION);
    const whole = readFileSync(journal);
    const cuts = [start + 1, start + 2, start + 60, start + 300, whole.length - 2, whole.length - 1];
    for (const cut of cuts) {
      writeFileSync(journal, whole.subarray(0, cut));
      const torn = whole.subarray(start, cut);
      expect((await readJournal(runFolder)).diagnostics).toMatchObject([
        { code: "journal-line-torn", severity: "warning", range: { line: 2 } },
      ]);
      await recorder.append(READ);
      const digest = digestBytes(torn);
      const file = `journal.jsonl.torn-${digest.slice(7, 23)}`;
      expect(readFileSync(join(runFolder, file))).toEqual(torn);
      const note = { kind: "recovery", file, digest, bytes: torn.length };
      expect(await readJournal(runFolder)).toEqual({
        exists: true,
        entries: [REFUSAL, note, READ].map((record, index) => ({
          sequence: index + 1,
          runId: "42",
          time: NOW,
          record,
        })),
        diagnostics: [],
        lastSequence: 3,
      });
    }
  });

  test("a first line cut short, and a remainder longer than what replaces it, leave nothing behind", async () => {
    const { recorder, journal, runFolder } = await newRun();
    writeFileSync(journal, "x".repeat(50_000));
    await recorder.append(REFUSAL);
    const { entries, diagnostics } = await readJournal(runFolder);
    expect([entries.map(({ record }) => record.kind), diagnostics]).toEqual([["recovery", "refusal"], []]);
  });

  test("behind a line of many megabytes the next number is still found", async () => {
    const { recorder, runFolder } = await newRun();
    const args = Array.from({ length: 9000 }, () => "x".repeat(1000));
    await recorder.append({ ...EXECUTION, args });
    await recorder.append(REFUSAL);
    expect((await readJournal(runFolder)).entries.map(({ sequence }) => sequence)).toEqual([1, 2]);
  });

  test("a journal whose last whole line is no record is not continued and not touched", async () => {
    const { recorder, journal } = await newRun();
    await recorder.append(REFUSAL);
    appendFileSync(journal, "{}\n");
    const before = readFileSync(journal);
    await expect(recorder.append(REFUSAL)).rejects.toMatchObject({ code: "journal-damaged" });
    expect(readFileSync(journal)).toEqual(before);
  });

  test("bytes that cannot be a line are not mistaken for one that was cut short", async () => {
    const { recorder, journal } = await newRun();
    writeFileSync(journal, "");
    truncateSync(journal, 100 * 1024 * 1024);
    await expect(recorder.append(REFUSAL)).rejects.toMatchObject({ code: "journal-damaged" });
    expect(statSync(journal).size).toBe(100 * 1024 * 1024);
  });
});

test("any records of interleaved recorders are read back whole and in sequence", async () => {
  const directory = temporaryDirectory();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ writer: fc.nat({ max: 2 }), record: arbitraryRecord }), { maxLength: 20 }),
      async (given) => {
        run += 1;
        const runFolder = join(directory, String(run));
        const writers: Recorder[] = [];
        for (const runId of ["a", "b", "c"]) writers.push(await openRecorder({ runFolder, runId, clock }));
        await Promise.all(given.map(({ writer, record }) => writers[writer]!.append(record)));
        const { entries, diagnostics } = await readJournal(runFolder);
        expect(diagnostics).toEqual([]);
        expect(entries.map(({ sequence }) => sequence)).toEqual(given.map((_, index) => index + 1));
        for (const [index, { runId }] of writers.entries())
          expect(entries.filter((entry) => entry.runId === runId).map(({ record }) => record)).toEqual(
            given.filter(({ writer }) => writer === index).map(({ record }) => record),
          );
      },
    ),
    { numRuns: 25 },
  );
});

async function newRun(): Promise<{ recorder: Recorder; runFolder: string; journal: string }> {
  const runFolder = join(temporaryDirectory(), "runs", "42");
  const recorder = await openRecorder({ runFolder, runId: "42", clock });
  return { recorder, runFolder, journal: join(runFolder, "journal.jsonl") };
}

test.skipIf(process.platform !== "linux")(
  "a folder that takes nothing in is refused, and not asked for ever",
  async () => {
    await expect(
      openRecorder({ runFolder: "/proc/skillet/run", runId: "1", clock: () => 0 }),
    ).rejects.toMatchObject({ code: "records-unavailable" });
  },
);

test("without a run folder, a record that a journal would refuse is refused all the same", async () => {
  const recorder = await openRecorder({ runFolder: undefined, runId: "42", clock });
  await expect(recorder.append({ kind: "gossip" } as unknown as SessionRecord)).rejects.toMatchObject({
    code: "record-invalid",
  });
  await recorder.append(REFUSAL);
});

test("a recorder that alone may write goes on after a write that failed after the note of a torn line", async () => {
  const { recorder, runFolder, journal } = await newRun();
  await recorder.append(REFUSAL);
  const alone = await openRecorder({ runFolder, runId: "42", clock, after: 1 });
  appendFileSync(journal, "torn");
  const handle = await open(journal);
  const files = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const { write } = files;
  const spy = vi.spyOn(files, "write").mockImplementation(function (this: FileHandle, ...given: unknown[]) {
    if (String(given[0]).includes('"sequence":3')) throw Object.assign(new Error(), { code: "ENOSPC" });
    return Reflect.apply(write, this, given);
  } as never);
  try {
    await expect(alone.append(READ)).rejects.toMatchObject({ code: "records-unavailable" });
  } finally {
    spy.mockRestore();
  }
  await alone.append(READ);
  const { entries } = await readJournal(runFolder);
  expect(entries.map(({ record }) => record.kind)).toEqual(["refusal", "recovery", "resource-read"]);
});
