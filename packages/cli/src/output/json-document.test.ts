import { expect, test } from "vitest";
import { createTerminal } from "../ui/terminal.ts";
import { printJson } from "./json-document.ts";

test("a document starts with its schema version, and a terminal obeys nothing in it", () => {
  const written: string[] = [];
  const stream = { write: (text: string) => written.push(text) };
  printJson(createTerminal({ stdout: stream, stderr: stream, environment: {} }), {
    name: "a\x1b\x9b\u202e\u200b\x7f",
  });
  expect(written.join("")).toBe(
    '{\n  "schemaVersion": 1,\n  "name": "a\\u001b\\u009b\\u202e\\u200b\\u007f"\n}\n',
  );
  expect(JSON.parse(written.join(""))).toEqual({ schemaVersion: 1, name: "a\x1b\x9b\u202e\u200b\x7f" });
});
