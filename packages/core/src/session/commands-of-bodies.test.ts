import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import { writeTree } from "../testing/write-tree.ts";
import type { SessionOptions } from "./session.ts";
import { openFolder, openSession } from "./testing/open-session.ts";
import { decisionOf } from "./testing/unwrap.ts";

function skill(name: string, header = "", body = "Body."): string {
  return `---\nname: ${name}\ndescription: Does ${name}.\n${header === "" ? "" : `${header}\n`}---\n${body}\n`;
}
function tree(files: Record<string, string>): string {
  return writeTree(join(temporaryDirectory(), "skills"), files);
}
function running(calls: string[]): SessionOptions {
  return {
    dynamicContext: ["local", "community", "trusted", "builtin", "organisation", "agent-created"],
    exec: async ({ command }) => {
      calls.push(command);
      return { exitCode: 0, output: "", timedOut: false };
    },
  };
}
test("a rule that denies a tool to what a model loaded holds for its commands", async () => {
  const folder = tree({ "x/SKILL.md": skill("x", "", "!`git log`") });
  const skills = await openFolder(
    folder,
    `policy:\n  rules:\n    - { tool: "Bash(git log:*)", action: allow }\n    - { tool: Bash, source: model, action: deny }\n`,
  );
  const calls: string[] = [];
  const session = await openSession(folder, running(calls), skills);
  await session.activate("x", { source: "model" });
  expect(calls).toEqual([]);
});
test("what an active skill disallows is not run by the commands of the next", async () => {
  const folder = tree({
    "a/SKILL.md": skill("a", "disallowed-tools: Bash"),
    "x/SKILL.md": skill("x", "", "!`git log`"),
  });
  const skills = await openFolder(
    folder,
    `policy:\n  rules:\n    - { tool: "Bash(git log:*)", action: allow }\n`,
  );
  const calls: string[] = [];
  const session = await openSession(folder, running(calls), skills);
  await session.activate("a");
  expect((await decisionOf(session.guard({ tool: "Bash", input: "git log" }))).outcome).toBe("deny");
  await session.activate("x");
  expect(calls).toEqual([]);
});
test("a redirection, a variable and a substitution beside an allowed part are not run", async () => {
  const folder = tree({
    "x/SKILL.md": skill(
      "x",
      "",
      "!`git log > /tmp/f`\n\n!`PATH=/tmp git log`\n\n!`git log $(touch made-by-it)`\n\n!`git log; rm -rf $0`",
    ),
  });
  const skills = await openFolder(
    folder,
    `policy:\n  rules:\n    - { tool: "Bash(git log)", action: allow }\n`,
  );
  const calls: string[] = [];
  const session = await openSession(folder, running(calls), skills);
  await session.activate("x", { arguments: "/home" });
  expect(calls).toEqual([]);
});
test("resumed in locked mode, a skill that the mode denies is neither read nor given again", async () => {
  const folder = tree({ "x/SKILL.md": skill("x", "", "SECRETBODY"), "x/ref.md": "a" });
  const first = await openSession(folder);
  await first.activate("x");
  const { session } = await first.skills.resume(first.runFolder, { mode: "locked" });
  await expect(session.activate("x")).rejects.toThrow();
  expect.soft((await session.compact()).text).not.toContain("SECRETBODY");
  expect.soft((await session.read("x", "ref.md")).content).toBeUndefined();
});
