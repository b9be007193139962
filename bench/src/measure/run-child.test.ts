import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ChildResult, runChild } from "./run-child.ts";

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "skillet-child-"));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

test("messages of a child come back in order", async () => {
  const result = await run(
    "for (const word of process.argv.slice(2)) process.send(word); process.disconnect();",
  );
  expect(result).toEqual({ messages: ["one", "two"] });
});

test("a child that fails keeps what it sent and says why", async () => {
  const result = await run('process.send("one", () => { throw new TypeError("no such loader"); });');
  expect(result).toEqual({ messages: ["one"], failure: "TypeError: no such loader (exit 1)" });
});

test("a child that hangs is ended and said to have been", async () => {
  const result = await run("setInterval(() => {}, 1000);", { timeoutMs: 100 });
  expect(result).toEqual({ messages: [], failure: "ended after 0.1 s" });
});

function run(
  code: string,
  options: { timeoutMs: number } = { timeoutMs: 30_000 },
): Promise<ChildResult<string>> {
  const path = join(directory, "child.mjs");
  writeFileSync(path, code);
  return runChild(pathToFileURL(path), { args: ["one", "two"], ...options });
}
