import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { pathTrail } from "./find-local-interpreter.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skillet-trail-")));
  for (const folder of ["a", "b/c", "d"]) mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, "d/program"), "");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const trailOf = (path: string): string[] =>
  pathTrail(join(root, path))
    .filter((place) => place.startsWith(`${root}/`))
    .map((place) => place.slice(root.length + 1));

test("a path without links passes its own folders", () => {
  expect(trailOf("d/program")).toEqual(["d", "d/program"]);
});

test("links, and where they lead, are passed in their order", () => {
  symlinkSync("../b/./c", join(root, "a/relative"));
  symlinkSync(join(root, "d"), join(root, "b/c/absolute"));
  expect(trailOf("a/relative/absolute/program")).toEqual(
    ["a", "a/relative", "", "b", "b/c", "b/c/absolute", "d", "d/program"].filter(Boolean),
  );
});

test("a loop of links and a missing file are errors", () => {
  symlinkSync("two", join(root, "one"));
  symlinkSync("one", join(root, "two"));
  expect(() => trailOf("one/x")).toThrow(expect.objectContaining({ code: "ELOOP" }));
  expect(() => trailOf("d/nothing")).toThrow(expect.objectContaining({ code: "ENOENT" }));
});
