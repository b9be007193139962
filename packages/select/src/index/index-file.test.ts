import { lstatSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atOnce } from "@skillet/kit/async";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeLibrary } from "../testing/make-skill.ts";
import { describeSkill } from "../text/describe-skill.ts";
import { IndexBuilder } from "./index-builder.ts";
import { readIndexFile, writeIndexFile } from "./index-file.ts";
import type { StoredIndex } from "./skill-index.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "skillet-index-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function buildIndex(count: number): StoredIndex {
  const builder = new IndexBuilder();
  for (const skill of makeLibrary(count)) builder.add(describeSkill(skill, "# How\n\nRun it.\n"));
  return atOnce(builder.build());
}

/** The index that is read, its arrays as arrays of their own. */
function readBack(path: string): StoredIndex | undefined {
  const index = readIndexFile(path);
  return index && { ...index, postingWeights: Uint8Array.from(index.postingWeights) };
}

test("what is written is read as it was", async () => {
  const path = join(folder, "index");
  for (const count of [0, 1, 7]) {
    await writeIndexFile(path, buildIndex(count));
    expect(readBack(path)).toEqual(buildIndex(count));
  }
});

test("the same skills give the same bytes", async () => {
  await writeIndexFile(join(folder, "a"), buildIndex(20));
  await writeIndexFile(join(folder, "b"), buildIndex(20));
  expect(readFileSync(join(folder, "a")).equals(readFileSync(join(folder, "b")))).toBe(true);
});

test("a file that is cut, changed anywhere or of another version is as good as none", async () => {
  const path = join(folder, "index");
  await writeIndexFile(path, buildIndex(5));
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
  await expect(writeIndexFile(join(folder, "file", "index"), buildIndex(1))).resolves.toBeUndefined();
});

test("a link in its place is replaced, and what it leads to stays as it is", async () => {
  const target = join(folder, "of-another-program");
  writeFileSync(target, "precious");
  const path = join(folder, "index");
  symlinkSync(target, path);
  await writeIndexFile(path, buildIndex(2));
  expect(readFileSync(target, "utf8")).toBe("precious");
  expect(lstatSync(path).isFile()).toBe(true);
  expect(readBack(path)).toEqual(buildIndex(2));
});

/** Writes an index whose head says something else, under the right checksum. */
async function forge(path: string, forged: (head: ForgedHead) => unknown): Promise<void> {
  await writeIndexFile(path, buildIndex(3));
  const bytes = readFileSync(path);
  const lineEnd = bytes.indexOf(10);
  const headEnd = bytes.indexOf(10, lineEnd + 1);
  const magic = bytes.subarray(0, bytes.indexOf(32)).toString();
  const head: unknown = forged(JSON.parse(bytes.subarray(lineEnd + 1, headEnd).toString()) as ForgedHead);
  let json = head === undefined ? "{" : JSON.stringify(head);
  while ((lineEnd + json.length + 2) % 4 !== 0) json += " ";
  const rest = Buffer.concat([Buffer.from(`${json}\n`), bytes.subarray(headEnd + 1)]);
  let sum = rest.length;
  const wholeWords = rest.length & ~3;
  for (let at = 0; at < wholeWords; at += 4) sum = ((sum << 5) - sum) ^ rest.readUInt32LE(at);
  for (const byte of rest.subarray(wholeWords)) sum = ((sum << 5) - sum) ^ byte;
  const first = `${magic} ${(sum >>> 0).toString(16)}`.padEnd(lineEnd);
  writeFileSync(path, Buffer.concat([Buffer.from(`${first}\n`), rest]));
}

interface ForgedHead {
  keys: unknown;
  patterns: unknown;
  terms: unknown;
  lengths: number[];
}

function change(some: Partial<ForgedHead>): (head: ForgedHead) => unknown {
  return (head) => ({ ...head, ...some });
}

test.each<[string, (head: ForgedHead) => unknown]>([
  ["that is not JSON", () => undefined],
  ["that is null", () => null],
  ["without anything", () => ({})],
  ["with keys that are not a list", change({ keys: 3 })],
  ["with a key that is not a text", change({ keys: ["a", 5, "c"] })],
  ["with a term that is not a text", change({ terms: [5] })],
  ["with fewer terms than are counted", change({ terms: ["a"] })],
  ["with fewer keys than skills", change({ keys: ["a"] })],
  ["with a pattern that is not a text", change({ patterns: [[], [5], []] })],
  ["with a pattern of a skill that is not there", change({ patterns: [[], [], [], ["x"]] })],
  ["with a length that is too large", withLength(0, 1e9)],
  ["with a length below zero", withLength(0, -1)],
  ["with a length that is not a whole number", withLength(3, 0.5)],
  ["with lengths missing", change({ lengths: [] })],
])("a head %s is as good as none under the right checksum too, and is told", async (_, forged) => {
  const path = join(folder, "index");
  await forge(path, forged);
  let told = 0;
  const count = (): void => {
    told += 1;
  };
  expect(readIndexFile(path, count)).toBeUndefined();
  expect(told).toBe(1);
});

function withLength(place: number, length: number): (head: ForgedHead) => unknown {
  return (head) => ({ ...head, lengths: head.lengths.with(place, length) });
}

test("a head that is as it was is read, so that the others are refused for what they say", async () => {
  const path = join(folder, "index");
  await forge(path, (head) => head);
  expect(readBack(path)).toEqual(buildIndex(3));
});

test("arrays that do not fit each other are as good as none", async () => {
  const path = join(folder, "index");
  const index = buildIndex(3);
  for (const some of [
    { clauseStarts: index.clauseStarts.toReversed() },
    { postingStarts: new Uint32Array() },
    { postingWeights: new Uint8Array(4) },
  ]) {
    await writeIndexFile(path, { ...index, ...some });
    expect(readIndexFile(path), Object.keys(some).join()).toBeUndefined();
  }
});
