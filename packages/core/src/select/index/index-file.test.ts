import { createHash } from "node:crypto";
import { lstatSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
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

test("a link in its place is replaced, and what it leads to stays as it is", async () => {
  const target = join(folder, "somebody-elses");
  writeFileSync(target, "precious");
  const path = join(folder, "index");
  symlinkSync(target, path);
  const segments = [buildSegment(2)];
  await writeIndexFile(path, segments);
  expect(readFileSync(target, "utf8")).toBe("precious");
  expect(lstatSync(path).isFile()).toBe(true);
  expect(readIndexFile(path)).toEqual(segments);
});

/** Writes an index whose head says something else, under the right checksum. */
async function forge(path: string, change: (head: ForgedHead) => unknown): Promise<void> {
  await writeIndexFile(path, [buildSegment(3)]);
  const bytes = readFileSync(path);
  const lineEnd = bytes.indexOf(10);
  const headEnd = bytes.indexOf(10, lineEnd + 1);
  const magic = bytes.subarray(0, bytes.indexOf(32)).toString();
  const head: unknown = change(JSON.parse(bytes.subarray(lineEnd + 1, headEnd).toString()) as ForgedHead);
  let json = head === undefined ? "{" : JSON.stringify(head);
  while ((lineEnd + json.length + 2) % 8 !== 0) json += " ";
  const rest = Buffer.concat([Buffer.from(`${json}\n`), bytes.subarray(headEnd + 1)]);
  const checksum = createHash("sha256").update(rest).digest("hex");
  writeFileSync(path, Buffer.concat([Buffer.from(`${magic} ${checksum}\n`), rest]));
}

interface ForgedHead {
  segments: [{ keys: unknown; patterns: unknown; lengths: number[] }];
}

function changeFirst(change: Partial<ForgedHead["segments"][0]>): (head: ForgedHead) => unknown {
  return (head) => ({ segments: [{ ...head.segments[0], ...change }] });
}

test.each<[string, (head: ForgedHead) => unknown]>([
  ["that is no JSON", () => undefined],
  ["that is null", () => null],
  ["without segments", () => ({})],
  ["with keys that are no list", changeFirst({ keys: 3 })],
  ["with a key that is no text", changeFirst({ keys: ["a", 5, "c"] })],
  ["with fewer keys than skills", changeFirst({ keys: ["a"] })],
  ["with a pattern that is no text", changeFirst({ patterns: [{ skill: 1, source: 5 }] })],
  ["with a pattern of nobody", changeFirst({ patterns: [{ skill: 3, source: "x" }] })],
  ["with a length that is too large", withLength(0, 1e9)],
  ["with a length below zero", withLength(0, -1)],
  ["with a length that is no whole number", withLength(3, 0.5)],
  ["with lengths missing", changeFirst({ lengths: [] })],
])("a head %s is as good as none under the right checksum too, and is told", async (_, change) => {
  const path = join(folder, "index");
  await forge(path, change);
  let told = 0;
  const count = (): void => {
    told += 1;
  };
  expect(readIndexFile(path, count)).toBeUndefined();
  expect(told).toBe(1);
});

function withLength(place: number, length: number): (head: ForgedHead) => unknown {
  return (head) => {
    const lengths = head.segments[0].lengths.with(place, length);
    return changeFirst({ lengths })(head);
  };
}

test("a head that is as it was is read, so that the others are refused for what they say", async () => {
  const path = join(folder, "index");
  await forge(path, (head) => head);
  expect(readIndexFile(path)).toEqual([buildSegment(3)]);
});

test("arrays that do not fit each other are as good as none", async () => {
  const path = join(folder, "index");
  const segment = buildSegment(3);
  const full = segment.termSlots.map((term) => Math.max(term, 0));
  const backwards = segment.clauseStarts.toReversed();
  for (const change of [
    { termSlots: full },
    { clauseStarts: backwards },
    { postingStarts: new Uint32Array() },
  ]) {
    await writeIndexFile(path, [{ ...segment, ...change }]);
    expect(readIndexFile(path), Object.keys(change).join()).toBeUndefined();
  }
});
