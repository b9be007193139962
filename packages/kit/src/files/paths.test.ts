import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { canonicalPath, makeFolders, openPlaces, resolveLinks } from "./paths.ts";

const TOO_LONG = "a".repeat(300);

test("a place is known by its real path, and what is missing by its name below the nearest folder that is there", () => {
  const base = temporaryDirectory();
  mkdirSync(join(base, "real"));
  symlinkSync("real", join(base, "link"));
  expect(canonicalPath(join(base, "link"))).toBe(join(base, "real"));
  expect(canonicalPath(join(base, "link/not/yet"))).toBe(join(base, "real/not/yet"));
  expect([resolveLinks(join(base, "link")), resolveLinks(join(base, "link/not/yet"))]).toEqual([
    join(base, "real"),
    undefined,
  ]);
});

test.skipIf(process.platform === "win32")("others can change a file by any folder above it", () => {
  const top = temporaryDirectory();
  mkdirSync(join(top, "a/b"), { recursive: true });
  const file = join(top, "a/b/file");
  writeFileSync(file, "");
  chmodSync(top, 0o777);
  chmodSync(join(top, "a"), 0o777);
  const open = (tops: readonly string[]) => openPlaces([file, join(top, "gone")], { tops });
  expect(open([top])).toEqual([top, join(top, "a")]);
  expect(open([join(top, "a")])).toEqual([join(top, "a")]);
  // In a folder like /tmp nobody can swap what belongs to another.
  chmodSync(top, 0o1777);
  chmodSync(file, 0o666);
  expect(open([top])).toEqual([join(top, "a"), file]);
  expect(openPlaces([top])).toEqual([top]);
});

test.each([
  ["to nowhere", "nowhere"],
  ["to itself", "link"],
  ["to too long a name", TOO_LONG],
  ["through a file", "/dev/null/below"],
])("a link %s leads nowhere, and keeps its own name", (_, target) => {
  const base = temporaryDirectory();
  symlinkSync(target, join(base, "link"));
  for (const path of [join(base, "link"), join(base, "link/below")])
    expect([resolveLinks(path), canonicalPath(path)]).toEqual([undefined, path]);
});

test("a path that no system takes is only made absolute", () => {
  for (const path of ["/a\0b", `/${TOO_LONG}`])
    expect([resolveLinks(path), canonicalPath(path)]).toEqual([undefined, path]);
});

test("folders are made down to the last, with their mode, and again without harm", () => {
  const folder = join(temporaryDirectory(), "a/b/c");
  makeFolders(folder, 0o700);
  makeFolders(folder, 0o700);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test("below a file no folder is made", () => {
  const file = join(temporaryDirectory(), "file");
  writeFileSync(file, "");
  expect(() => makeFolders(file)).toThrow("EEXIST");
  expect(() => makeFolders(join(file, "a/b"))).toThrow("ENOTDIR");
});

test.runIf(process.platform === "linux")(
  "a file system that denies every folder as missing ends the try",
  () => {
    expect(() => makeFolders("/proc/self/a/b")).toThrow("ENOENT");
  },
);
