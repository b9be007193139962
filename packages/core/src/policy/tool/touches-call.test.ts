import { expect, test } from "vitest";
import { toolRules } from "../testing/cover-command.ts";
import { readCall } from "./call-subject.ts";
import { touchesCall } from "./touches-call.ts";

const touches = (tool: string, input: unknown, entry: string): boolean =>
  toolRules(entry).some((rule) =>
    touchesCall(rule, readCall({ tool, input }, { project: "/project", home: "/home/me" })),
  );

test.each([
  ["Read", "secrets/a", "Read(./secrets/**)"],
  ["Read", "Secrets/A", "Read(./secrets/*)"],
  ["Read", "secrets/deep/a", "Read(./secrets/*)"],
  ["Read", "\uff53ecrets/a", "Read(./secrets/**)"],
  ["Read", "/project/./x/../secrets/a", "Read(./secrets/**)"],
  ["Read", undefined, "Read(./secrets/**)"],
  ["Read", "a".repeat(5000), "Read(./secrets/**)"],
  ["MultiEdit", "src/a", "Edit(src/**)"],
  ["Bash", "cat < secrets/a", "Read(./other/**)"],
  ["Bash", "cat < /project/secrets/a", "Read(./secrets/**)"],
  ["Bash", "bash -c 'ls > /tmp/x'", "Write(//tmp/**)"],
  ["Bash", "ls > $X", "Write(//tmp/**)"],
  ["Bash", { cmd: "ls" }, "Bash(rm:*)"],
  ["shell", "ls", "Bash"],
  ["WebFetch", "https://a.example.com/x", "WebFetch(domain:example.com)"],
  ["WebFetch", "https://example.com@evil.test", "WebFetch(domain:example.org)"],
  ["mcp__GitHub__delete", {}, "mcp__github__*"],
  ["Skill", "PDF", "Skill(pdf)"],
  ["Skill", { skill: "pdf form.pdf" }, "Skill(pdf)"],
  ["anything", {}, "*"],
])("%s of %j may be what %s means", (tool, input, entry) => {
  expect(touches(tool, input, entry)).toBe(true);
});

test.each([
  ["Read", "docs/a", "Read(./secrets/**)"],
  ["Write", "secrets/a", "Read(./secrets/**)"],
  ["Bash", "ls > /dev/null", "Write"],
  ["Bash", "cat < /project/docs/a", "Read(./secrets/**)"],
  ["WebFetch", "https://notexample.com", "WebFetch(domain:example.com)"],
  ["mcp__gitlab__x", {}, "mcp__github"],
  ["Skill", "pdf-forms", "Skill(pdf)"],
])("%s of %j is not what %s means", (tool, input, entry) => {
  expect(touches(tool, input, entry)).toBe(false);
});
