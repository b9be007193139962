import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { describeSkill } from "../document/describe-skill.ts";
import { makeLibrary } from "../testing/make-skill.ts";
import { readIndexFile, writeIndexFile } from "./index-file.ts";
import type { Segment } from "./segment.ts";
import { SegmentBuilder } from "./segment-builder.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "skillet-index-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function buildSegment(count: number): Segment {
  const builder = new SegmentBuilder();
  for (const skill of makeLibrary(count)) builder.add(describeSkill(skill, "# How\n\nRun it.\n"));
  return builder.build();
}

test("what is written is read as it was, segment by segment", async () => {
  const path = join(folder, "index");
  const segments = [buildSegment(7), buildSegment(3)];
  await writeIndexFile(path, segments);
  expect(readIndexFile(path)).toEqual(segments);
});

test("the same skills give the same bytes", async () => {
  await writeIndexFile(join(folder, "a"), [buildSegment(20)]);
  await writeIndexFile(join(folder, "b"), [buildSegment(20)]);
  expect(readFileSync(join(folder, "a")).equals(readFileSync(join(folder, "b")))).toBe(true);
});

test("a file that is cut, changed anywhere or of another version is as good as none", async () => {
  const path = join(folder, "index");
  await writeIndexFile(path, [buildSegment(5)]);
  const bytes = readFileSync(path);
  for (const place of [3, 60, 100, Math.floor(bytes.length / 2), bytes.length - 1]) {
    const changed = Buffer.from(bytes);
    changed[place] = (changed[place] ?? 0) ^ 1;
    writeFileSync(path, changed);
    expect(readIndexFile(path), `byte ${place}`).toBeUndefined();
  }
  for (const length of [0, 10, 90, bytes.length - 8]) {
    writeFileSync(path, bytes.subarray(0, length));
    expect(readIndexFile(path), `${length} bytes`).toBeUndefined();
  }
  expect(readIndexFile(join(folder, "missing"))).toBeUndefined();
});

test("a folder that cannot be written means no cache, not an error", async () => {
  writeFileSync(join(folder, "file"), "");
  await expect(writeIndexFile(join(folder, "file", "index"), [buildSegment(1)])).resolves.toBeUndefined();
});
