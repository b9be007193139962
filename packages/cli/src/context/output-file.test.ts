import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { CliError } from "./cli-error.ts";
import { openOutputFile } from "./output-file.ts";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "skillet-output-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

test("a report appears whole, in place of an older one, and nothing else is left", () => {
  const directory = folder();
  const path = join(directory, "report.json");
  writeFileSync(path, "old");
  const file = openOutputFile(path);
  for (let index = 0; index < 5; index += 1) file.write("a".repeat(100_000));
  expect(readFileSync(path, "utf8")).toBe("old");
  file.keep();
  file.drop();
  expect(readFileSync(path, "utf8")).toBe("a".repeat(500_000));
  expect(readdirSync(directory)).toEqual(["report.json"]);
});

test("a report that breaks off leaves the older one", () => {
  const directory = folder();
  const path = join(directory, "report.json");
  writeFileSync(path, "old");
  const file = openOutputFile(path);
  file.write("half");
  file.drop();
  expect(readFileSync(path, "utf8")).toBe("old");
  expect(readdirSync(directory)).toEqual(["report.json"]);
});

test("a folder, and a file in a folder that is not there, are refused at once", () => {
  const directory = folder();
  mkdirSync(join(directory, "sub"));
  for (const path of [join(directory, "sub"), join(directory, "gone/report.json")])
    expect(() => openOutputFile(path)).toThrow(CliError);
});
