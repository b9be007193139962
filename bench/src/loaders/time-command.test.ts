import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { timeCommand } from "./time-command.ts";

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "skillet-command-"));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

test("the number of skills is read from the output, colours or not", () => {
  expect(timeScript('console.log("Found \\u001b[32m" + process.argv[2] + "\\u001b[39m skills");').found).toBe(
    12,
  );
});

test("output without a number is an error that shows it", () => {
  expect(() => timeScript('console.log("nothing here");')).toThrow(/does not say how many.*nothing here/);
});

function timeScript(code: string): ReturnType<typeof timeCommand> {
  const path = join(directory, "command.mjs");
  writeFileSync(path, code);
  return timeCommand({
    command: pathToFileURL(path),
    full: { args: ["12"], directory },
    empty: { args: ["0"], directory },
    found: /Found (\d+) skill/,
  });
}
