import {
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import { pruneSelectionCache, selectionCacheFile } from "./open-selection.ts";

const HOUR = 3_600_000;

function write(path: string, { ageHours, bytes = 1 }: { ageHours: number; bytes?: number }): void {
  writeFileSync(path, "");
  truncateSync(path, bytes);
  const seconds = (Date.now() - ageHours * HOUR) / 1000;
  utimesSync(path, seconds, seconds);
}

test("each set of sources has a file of its own, in a folder for its owner alone", () => {
  const directory = temporaryDirectory();
  const file = selectionCacheFile(directory, ["a", "b"]) ?? "";
  expect(selectionCacheFile(directory, ["a", "b"])).toBe(file);
  expect(selectionCacheFile(directory, ["a,b"])).not.toBe(file);
  expect(selectionCacheFile(directory, ["b", "a"])).not.toBe(file);
  expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
});

test("where no folder can be made, nothing is kept and no command stops", () => {
  const file = join(temporaryDirectory(), "file");
  writeFileSync(file, "");
  expect(selectionCacheFile(join(file, "cache"), ["a"])).toBeUndefined();
  expect(() => pruneSelectionCache(join(file, "cache", "x.idx"), Date.now())).not.toThrow();
});

test("the sixteen newest indexes stay, and the one in use", () => {
  const directory = temporaryDirectory();
  const kept = selectionCacheFile(directory, ["mine"]) ?? "";
  const folder = dirname(kept);
  write(kept, { ageHours: 99 });
  for (let number = 10; number < 30; number += 1) write(join(folder, `${number}.idx`), { ageHours: number });
  pruneSelectionCache(kept, Date.now());
  const left = readdirSync(folder);
  expect(left).toHaveLength(17);
  expect(left).toContain("10.idx");
  expect(left).toContain("25.idx");
  expect(left).not.toContain("26.idx");
});

test("a gigabyte is the most that is kept", () => {
  const directory = temporaryDirectory();
  const kept = selectionCacheFile(directory, ["mine"]) ?? "";
  const folder = dirname(kept);
  write(kept, { ageHours: 0 });
  for (const number of [1, 2, 3])
    write(join(folder, `${number}.idx`), { ageHours: number, bytes: 400 * 1024 * 1024 });
  pruneSelectionCache(kept, Date.now());
  expect(readdirSync(folder).sort()).toEqual(["1.idx", "2.idx", kept.slice(folder.length + 1)].sort());
});

test("what a crash left goes after an hour; folders, links and other files stay", () => {
  const directory = temporaryDirectory();
  const kept = selectionCacheFile(directory, ["mine"]) ?? "";
  const folder = dirname(kept);
  write(join(folder, ".skillet-old.tmp"), { ageHours: 2 });
  write(join(folder, ".skillet-new.tmp"), { ageHours: 0 });
  write(join(folder, "notes.txt"), { ageHours: 999 });
  mkdirSync(join(folder, "folder.idx"));
  symlinkSync("loop.idx", join(folder, "loop.idx"));
  pruneSelectionCache(kept, Date.now());
  expect(readdirSync(folder).sort()).toEqual([".skillet-new.tmp", "folder.idx", "loop.idx", "notes.txt"]);
});
