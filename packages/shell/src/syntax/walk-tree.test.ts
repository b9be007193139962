import { expect, test } from "vitest";
import { parseShell } from "./parse-shell.ts";
import { type TreeClient, TreeWalk } from "./walk-tree.ts";

const COUNTER: TreeClient<number> = {
  join: (printed) => printed.reduce((sum, count) => sum + count, 0),
  command: () => 1,
  pipeline: (_node, run) => run(),
  redirected: (_redirections, input, run) => run(input),
  loop: (_node, run) => run(),
  define: (_node, run) => run(),
  coproc: (_node, run) => run(),
  test: () => 0,
  word: () => undefined,
};

test("a chain as long as an attacker likes is walked to its end", () => {
  const { commands } = parseShell(`${"a&&".repeat(300_000)}a`);
  expect(new TreeWalk(COUNTER).statements(commands, undefined)).toBe(300_001);
});
