import { describe, expect, test } from "vitest";
import { toolRules } from "../testing/cover-command.ts";
import { readShell } from "./read-shell.ts";
import { touchesAct } from "./touches-act.ts";

const touches = (command: string, entry: string): boolean => {
  const [rule] = toolRules(entry);
  if (rule?.kind !== "shell") throw new Error(`${entry} is not a rule for commands`);
  return readShell(command).some((act) => touchesAct(rule, act));
};

describe("a denial of git push", () => {
  test.each([
    "git push",
    "git push --force",
    "git status && git push",
    "git -C x push",
    "git -c a=b --no-pager push",
    "/usr/bin/git push",
    "'git' pu''sh",
    "sudo git push",
    "env A=b git push",
    "xargs git push",
    "bash -c 'git push'",
    "zsh -c 'git push'",
    "find . -exec git push \\;",
    "watch -n 1 git push",
    "busybox git push",
    "echo $(git push)",
    "f() { git push; }; f",
    "A=1 git push > x",
    "git $X",
    "$GIT push",
    "$(echo git) push",
    'eval "$X"',
    "git status $(",
    `git status ${"a".repeat(5000)}`,
  ])("reaches %j", (command) => {
    expect(touches(command, "Bash(git push:*)")).toBe(true);
    expect(touches(command, "Bash(git push)")).toBe(true);
  });

  test.each([
    "git status",
    "git commit -m push",
    "git log --grep push",
    "echo git push",
    "A=1 make",
    "push git",
    "git > push",
  ])("does not reach %j", (command) => {
    expect(touches(command, "Bash(git push:*)")).toBe(false);
  });
});
