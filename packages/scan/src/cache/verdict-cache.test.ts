import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TreeStamp } from "@skillet/core";
import { readVerdictFile, verdictPath } from "@skillet/core/internal";
import { type Digest, digestBytes } from "@skillet/kit/digest";
import { expect, test } from "vitest";
import { report, temporaryFolder } from "../trust/testing/skill-on-disk.ts";
import { summariseReport, VerdictCache } from "./verdict-cache.ts";

const NOW = 1_000_000;
const digestOf = (text: string): Digest => digestBytes(Buffer.from(text));
const stamp = (text: string, changedMs = 0): TreeStamp => ({ text, changedMs });
const SAFE = summariseReport(report("safe", "rules"));
const placed = (digest: Digest) => ({
  digest,
  read: digestOf("tree"),
  skill: digestOf("text"),
  verdict: "safe",
});
const open = (directory: string | undefined, ruleSet = "rules"): VerdictCache =>
  new VerdictCache({ directory, ruleSet, clock: () => NOW });

async function filled(directory: string): Promise<Digest> {
  const cache = open(directory);
  const digest = digestOf("a");
  cache.keepVerdict(digest, SAFE);
  cache.keepPlace("/skills/a/SKILL.md", stamp("s1"), placed(digest));
  await cache.flush();
  return digest;
}

test("what was kept is known by content, and by place while the status is the same", async () => {
  const directory = temporaryFolder();
  const digest = await filled(directory);
  const cache = open(directory);
  expect(cache.verdictOf(digest)).toMatchObject(SAFE);
  expect(cache.verdictOf(digestOf("b"))).toBe(undefined);
  expect(cache.placeAt("/skills/a/SKILL.md", stamp("s1"))).toMatchObject(placed(digest));
  expect(cache.placeAt("/skills/a/SKILL.md", stamp("s2"))).toBe(undefined);
  expect(cache.placeAt("/skills/a/SKILL.md", undefined)).toBe(undefined);
  expect(cache.placeAt("/skills/b/SKILL.md", stamp("s1"))).toBe(undefined);
  expect(statSync(verdictPath(directory)).mode & 0o777).toBe(0o600);
});

test("other rules know nothing of it, and replace it", async () => {
  const directory = temporaryFolder();
  const digest = await filled(directory);
  const other = open(directory, "newer");
  expect(other.verdictOf(digest)).toBe(undefined);
  other.keepVerdict(digestOf("b"), SAFE);
  await other.flush();
  const file = readVerdictFile(directory)!;
  expect([file.ruleSet, [...file.verdicts.keys()]]).toEqual(["newer", [digestOf("b")]]);
});

test.each([
  ["a torn file", (text: string) => text.slice(0, text.length / 2)],
  ["another version", (text: string) => text.replace(/"version":\d+/, '"version":1')],
  [
    "a value of another kind",
    (text: string) => text.replace('"line":6', '"line":"6"').replace('"generation":1', '"generation":"1"'),
  ],
  ["what is no digest", (text: string) => text.replaceAll("sha256:", "sha1:")],
  ["a list", () => "[]"],
  ["nothing", () => ""],
])("%s is as good as none, and is written anew", async (_what, damage) => {
  const directory = temporaryFolder();
  const digest = await filled(directory);
  writeFileSync(verdictPath(directory), damage(readFileSync(verdictPath(directory), "utf8")));
  expect(open(directory).verdictOf(digest)).toBe(undefined);
  await filled(directory);
  expect(open(directory).verdictOf(digest)).toMatchObject(SAFE);
});

test("what changed within the grain of the clock is not kept by place", async () => {
  const directory = temporaryFolder();
  await filled(directory);
  const cache = open(directory);
  cache.keepPlace("/skills/a/SKILL.md", stamp("s2", NOW - 1_999), placed(digestOf("b")));
  await cache.flush();
  expect(readVerdictFile(directory)?.places.size).toBe(0);
  cache.keepPlace("/skills/a/SKILL.md", stamp("s2", NOW - 2_000), placed(digestOf("b")));
  await cache.flush();
  expect(readVerdictFile(directory)?.places.get("/skills/a/SKILL.md")).toEqual({
    stamp: "s2",
    ...placed(digestOf("b")),
    generation: 3,
  });
});

test("two that write at once keep each other's verdicts", async () => {
  const directory = temporaryFolder();
  const caches = ["a", "b", "c", "d"].map((text) => {
    const cache = open(directory);
    cache.keepVerdict(digestOf(text), SAFE);
    return cache;
  });
  await Promise.all(caches.map((cache) => cache.flush()));
  expect(readVerdictFile(directory)?.verdicts.size).toBe(4);
});

test("nothing is written where nothing is new, nor without a folder", async () => {
  const directory = temporaryFolder();
  const digest = await filled(directory);
  const before = statSync(verdictPath(directory)).ino;
  const cache = open(directory);
  cache.verdictOf(digest);
  await cache.flush();
  expect(statSync(verdictPath(directory)).ino).toBe(before);
  const memory = open(undefined);
  memory.keepVerdict(digest, SAFE);
  await memory.flush();
  expect(memory.verdictOf(digest)).toMatchObject(SAFE);
});

test("a folder that cannot be made stops nobody", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "file"), "");
  const cache = open(join(folder, "file/cache"));
  cache.keepVerdict(digestOf("a"), SAFE);
  await cache.flush();
  expect(cache.verdictOf(digestOf("a"))).toMatchObject(SAFE);
});

test("what nobody wanted for longest goes first when there is no room", async () => {
  const directory = join(temporaryFolder(), "cache");
  mkdirSync(directory);
  const long = { ...SAFE, criticalRules: ["x".repeat(1_500_000)] };
  const first = open(directory);
  first.keepVerdict(digestOf("a"), long);
  await first.flush();
  const second = open(directory);
  second.keepVerdict(digestOf("b"), long);
  await second.flush();
  const third = open(directory);
  third.verdictOf(digestOf("a"));
  third.keepVerdict(digestOf("c"), long);
  await third.flush();
  expect(new Set(readVerdictFile(directory)?.verdicts.keys())).toEqual(
    new Set([digestOf("a"), digestOf("c")]),
  );
});

test("the same verdicts give the same bytes, whatever order they came in", async () => {
  const texts = await Promise.all(
    [
      ["a", "b", "c"],
      ["c", "a", "b"],
    ].map(async (order) => {
      const directory = temporaryFolder();
      const cache = open(directory);
      for (const text of order) {
        cache.keepVerdict(digestOf(text), SAFE);
        cache.keepPlace(`/${text}`, stamp(text), placed(digestOf(text)));
      }
      await cache.flush();
      return readFileSync(verdictPath(directory), "utf8");
    }),
  );
  expect(texts[0]).toBe(texts[1]);
});

test("a path that objects inherit is an ordinary one", async () => {
  const directory = temporaryFolder();
  const cache = open(directory);
  cache.keepVerdict(digestOf("a"), SAFE);
  cache.keepPlace("__proto__", stamp("s"), placed(digestOf("a")));
  await cache.flush();
  expect(open(directory).placeAt("__proto__", stamp("s"))).toMatchObject(placed(digestOf("a")));
});
