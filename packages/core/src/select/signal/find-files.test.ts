import { expect, test } from "vitest";
import { findFiles } from "./find-files.ts";

test("files and folders in a message are found as they stand there", () => {
  expect(findFiles('fix `src/app.tsx` and "./docs/a b/report.PDF", then packages/core/src.')).toEqual([
    "src/app.tsx",
    "b/report.PDF",
    "packages/core/src",
  ]);
  expect(findFiles("把report.pdf转成文字")).toEqual(["report.pdf"]);
  expect(findFiles("C:\\work\\main.rs")).toEqual(["work/main.rs"]);
});

test("addresses, sentences and choices are no files", () => {
  expect(findFiles("see https://example.com/a/b.html, and/or ask. Version 1.2.3 ... e.g. this")).toEqual([]);
});

test("a paste of any length gives twenty files at most", () => {
  expect(findFiles("a.b.c/".repeat(50_000))).toEqual([]);
  expect(findFiles(Array.from({ length: 100 }, (_, index) => `f${index}.md`).join(" ")).length).toBe(20);
});
