import { describe, expect, test } from "vitest";
import { coverCommand, coverTool, toolRules } from "./testing/cover-command.ts";
import { readCall } from "./tool/call-subject.ts";
import { touchesCall } from "./tool/cover-call.ts";

const denies = (rule: string, input: string): boolean =>
  toolRules(rule).some((one) => touchesCall(one, readCall({ tool: "Bash", input }, { project: "/p" })));

describe("a denial", () => {
  test.each(["bash -o pipefail -c 'rm x'", "bash -O extglob -c 'rm x'"])(
    "a denied program is found after a shell option with a value: %s",
    (command) => expect(denies("Bash(rm:*)", command)).toBe(true),
  );
  test.each(["uv run rm x", "poetry run rm x", "npm exec rm x", "bundle exec rm x", "pnpm dlx rm x"])(
    "a denied program is found after a starting subcommand: %s",
    (command) => expect(denies("Bash(rm:*)", command)).toBe(true),
  );
  test.each(["watch 'rm x'", "su -c 'rm x'", "flock f -c 'rm x'", "trap 'rm x' EXIT"])(
    "a denied program is found in a text that a known starter runs: %s",
    (command) => expect(denies("Bash(rm:*)", command)).toBe(true),
  );
});
describe("a rule", () => {
  test.each([
    "git config credential.https://a@b.helper '!touch x'",
    "git config filter.a@b.clean 'touch x'",
    "git config url.ext@y.insteadOf z",
  ])("an at sign in a key does not make a setting harmless: %s", (command) =>
    expect(coverCommand(command, "Bash(git config:*)")).not.toBe("covered"),
  );
  test.each(["//dev/stdin", "/./dev/stdin", "../../../../../dev/stdin"])(
    "code from a pipe is not a script: %s",
    (path) =>
      expect(coverCommand(`echo x | python3 ${path}`, "Bash(python3:*)", "Bash(echo:*)")).not.toBe("covered"),
  );
  test.each(["{..,a}/*", "{../..,a}/*", "{/etc,a}/*", "@(..)/*", ".[.]/*", ["../*"]])(
    "a glob does not lead out of its folder: %s",
    (pattern) => expect(coverTool("Glob", { path: "docs", pattern }, "Glob(./docs/**)")).not.toBe("covered"),
  );
});
