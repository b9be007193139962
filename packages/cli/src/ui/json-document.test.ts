import { expect, test } from "vitest";
import { printJson } from "./json-document.ts";
import { createTerminal } from "./terminal.ts";

function print(document: Record<string, unknown>): string {
  const written: string[] = [];
  const stream = { write: (text: string) => written.push(text) };
  printJson(createTerminal({ stdout: stream, stderr: stream, environment: {} }), document);
  return written.join("");
}

test("a document starts with its schema version, and a terminal obeys nothing in it", () => {
  const text = print({ name: "a\x1b\x9b\u202e\u200b\x7f" });
  expect(text).toBe('{\n  "schemaVersion": 1,\n  "name": "a\\u001b\\u009b\\u202e\\u200b\\u007f"\n}\n');
  expect(JSON.parse(text)).toEqual({ schemaVersion: 1, name: "a\x1b\x9b\u202e\u200b\x7f" });
});

test("what cannot be seen is escaped, and everything else stays readable", () => {
  const name = "ü技👩\u200d💻\u{e0041}\u2028\ud800";
  const text = print({ name });
  expect(text).toBe('{\n  "schemaVersion": 1,\n  "name": "ü技👩\\u200d💻\\udb40\\udc41\\u2028\\ud800"\n}\n');
  expect(JSON.parse(text)).toEqual({ schemaVersion: 1, name });
});
