import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { digestBytes } from "@skillet/kit/digest";
import { expect, test } from "vitest";
import { temporaryFolder } from "../trust/testing/skill-on-disk.ts";
import { UnfinishedScans } from "./unfinished-scans.ts";

const CONTENT = digestBytes(Buffer.from("content"));
const NAME = CONTENT.slice("sha256:".length);

function marked(text: string): UnfinishedScans {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "scanning"));
  writeFileSync(join(folder, "scanning", NAME), text);
  return new UnfinishedScans(folder);
}

test("content is marked while it is scanned, and no longer, also when the scan fails", async () => {
  const folder = temporaryFolder();
  const scans = new UnfinishedScans(folder);
  const seen = await scans.during(CONTENT, async () => readdirSync(join(folder, "scanning")));
  expect(seen).toEqual([NAME]);
  const failing = scans.during(CONTENT, () => Promise.reject(new Error("no")));
  await expect(failing).rejects.toThrow("no");
  expect(readdirSync(join(folder, "scanning"))).toEqual([]);
});

test("the mark of a process that is gone says that the scan did not finish, until it is cleared", () => {
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  const scans = marked(`${pid}\n`);
  expect([scans.has(CONTENT), scans.has(digestBytes(Buffer.from("other")))]).toEqual([true, false]);
  scans.clear(CONTENT);
  expect(scans.has(CONTENT)).toBe(false);
});

test("the mark of a process that is there says nothing, and one that is torn counts", () => {
  expect([process.pid, process.ppid].map((pid) => marked(`${pid}\n`).has(CONTENT))).toEqual([false, false]);
  expect(marked("").has(CONTENT)).toBe(true);
});

test("without a folder, and where none can be made, scans go on unmarked", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "file"), "");
  for (const directory of [undefined, join(folder, "file")]) {
    const scans = new UnfinishedScans(directory);
    expect(await scans.during(CONTENT, async () => 1)).toBe(1);
    expect(scans.has(CONTENT)).toBe(false);
  }
});
