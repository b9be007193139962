import { appendFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { digestBytes } from "@skillet/kit/digest";
import { expect, test } from "vitest";
import { bundleSource } from "../../../../kit/src/testing/bundle-source.ts";
import { killHard, runNode, startNode } from "../../../../kit/src/testing/run-node.ts";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import { verifyRun } from "../resume/verify-run.ts";

import { DERIVED_ARTEFACTS, REGISTRY_FILE, writeArtefacts } from "./artefacts.ts";
import { readJournal } from "./journal.ts";
import { openRecorder } from "./recorder.ts";
import type { RecoveryRecord } from "./session-record.ts";
import { clock, digestOf, REFUSAL } from "./testing/sample-records.ts";

const ARTEFACT_FILES = [REGISTRY_FILE, ...DERIVED_ARTEFACTS.map(({ file }) => file)];
const SNAPSHOT = { version: digestOf("0"), roots: [], skills: [], diagnostics: [] };

// Appends without end, now and then several records at once and some of many pages, which a kill can cut in two, and
// writes the artefacts in between; a record's name is printed when it is acknowledged.
const WRITER = `
const [, bundled, runFolder, runId, seed, rounds] = process.argv;
const { openRecorder } = await import(bundled + "/recorder.js");
const { writeArtefacts } = await import(bundled + "/artefacts.js");
const snapshot = ${JSON.stringify(SNAPSHOT)};
let state = Number(seed);
const random = (below) => {
  state = (Math.imul(state, 1103515245) + 12345) >>> 0;
  return (state >>> 8) % below;
};
// On a busy machine the others may hold a lock for longer than one waits for it.
const patiently = async (work) => {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (error.code !== "lock-timeout") throw error;
    }
  }
};
const recorder = await patiently(() => openRecorder({ runFolder, runId, clock: Date.now }));
for (let round = 0; round < Number(rounds); round++) {
  const append = async (part) => {
    const subject = runId + "-" + round + "-" + part;
    const args = Array(random(4) === 0 ? 4000 : random(3)).fill("x".repeat(100));
    const record = { kind: "script-execution", skillName: "s", path: subject, status: "executed", args, diagnostics: [] };
    await patiently(() => recorder.append(record));
    process.stdout.write(subject + "\\n");
  };
  await Promise.all(Array.from({ length: 1 + random(3) }, (_, part) => append(part)));
  if (random(3) === 0) await patiently(() => writeArtefacts(runFolder, { snapshot, resources: new Map() }));
}
`;

test("four processes that append at once leave every record, once and in sequence", async () => {
  const { bundled, runFolder } = await prepare();
  const said = await Promise.all(
    ["a", "b", "c", "d"].map((runId, index) => runNode(WRITER, [bundled, runFolder, runId, `${index}`, "8"])),
  );
  const acknowledged = said.flatMap((text) => text.trim().split("\n"));
  const { entries, diagnostics } = await readJournal(runFolder);
  expect(diagnostics).toEqual([]);
  expect(entries.map(({ sequence }) => sequence)).toEqual(acknowledged.map((_, index) => index + 1));
  expect(entries.map(pathOf).toSorted()).toEqual(acknowledged.toSorted());
});

test("processes killed at random points lose no acknowledged record, and every artefact parses", async () => {
  const { bundled, runFolder } = await prepare();
  const acknowledged: string[] = [];
  let state = 20_260_102;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
  for (let round = 0; round < 5; round++) {
    await Promise.all(
      ["a", "b", "c", "d"].map(async (name) => {
        const child = startNode(WRITER, [bundled, runFolder, `${name}${round}`, `${random(1e6)}`, "100000"]);
        const failures: string[] = [];
        child.stderr.on("data", (text: Buffer) => failures.push(String(text)));
        let wanted = 1 + random(12);
        for await (const line of createInterface({ input: child.stdout })) {
          acknowledged.push(line);
          wanted -= 1;
          if (wanted === 0) break;
        }
        // Somewhere in the next records, not always right behind the last one.
        for (let turns = random(40); turns > 0; turns--) await new Promise(setImmediate);
        await killHard(child);
        expect(failures).toEqual([]);
      }),
    );
    expectArtefactsToParse(runFolder);
    // What a power cut leaves, since a kill hardly ever meets a write half done; the next four find it together.
    appendFileSync(join(runFolder, "journal.jsonl"), `{"sequence":${round}`);
  }

  const recorder = await openRecorder({ runFolder, runId: "last", clock });
  await recorder.append(REFUSAL);
  const { entries, diagnostics } = await readJournal(runFolder);
  expect(diagnostics).toEqual([]);
  expect(entries.map(({ sequence }) => sequence)).toEqual(entries.map((_, index) => index + 1));
  const kept = new Set(entries.map(pathOf));
  expect(acknowledged.filter((name) => !kept.has(name))).toEqual([]);
  expect(kept.size).toBeGreaterThan(20);
  const recoveries = entries
    .map(({ record }) => record)
    .filter((record): record is RecoveryRecord => record.kind === "recovery");
  expect(recoveries.length).toBeGreaterThanOrEqual(5);
  for (const { file, digest } of recoveries)
    expect(digestBytes(readFileSync(join(runFolder, file)))).toBe(digest);
  expect(await verify(runFolder)).toBe("run-unchanged");

  await writeArtefacts(runFolder, { snapshot: SNAPSHOT, resources: new Map() });
  expect(await verify(runFolder)).toBe("run-unchanged");
  expect(readdirSync(runFolder)).toEqual(expect.arrayContaining(ARTEFACT_FILES));
});

async function prepare(): Promise<{ bundled: string; runFolder: string }> {
  const directory = temporaryDirectory();
  const bundled = join(directory, "bundled");
  await bundleSource(
    bundled,
    "core/src/session/records/recorder.ts",
    "core/src/session/records/artefacts.ts",
  );
  return { bundled, runFolder: join(directory, "run") };
}

function pathOf({ record }: { readonly record: object }): string {
  return "path" in record ? String(record.path) : "";
}

function expectArtefactsToParse(runFolder: string): void {
  for (const file of ARTEFACT_FILES) {
    const path = join(runFolder, file);
    if (existsSync(path)) expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ version: 1 });
  }
}

async function verify(runFolder: string): Promise<string> {
  const nothing = () => Promise.reject(new Error("no skill was activated"));
  const reader = { readSkillFile: nothing, indexResources: nothing };
  const { code } = await verifyRun(runFolder, { snapshot: SNAPSHOT, reader });
  return code;
}
