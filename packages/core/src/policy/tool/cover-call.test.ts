import { describe, expect, test } from "vitest";
import { coverTool, toolRules } from "../testing/cover-command.ts";
import { readCall } from "./call-subject.ts";
import { touchesCall } from "./cover-call.ts";

describe("files", () => {
  test.each([
    ["Read", "docs/a.md", "Read(./docs/**)"],
    ["Read", { file_path: "/project/docs/deep/a.md" }, "Read(./docs/**)"],
    ["Read", "docs/../docs/a.md", "Read(./docs/**)"],
    ["Read", "a/b/c.md", "Read(*.md)"],
    ["Read", "src/a.ts", "Read(src/*.{ts,tsx})"],
    ["Read", "~/notes/a", "Read(~/notes/**)"],
    ["Read", "/skills/one/references/a.md", "Read({baseDir}/references/**)"],
    ["Read", "docs/a.md", "Read(./docs)"],
    ["NotebookEdit", { notebook_path: "src/a.ipynb" }, "Edit(src/**)"],
    ["MultiEdit", { file_path: "src/a.ts", edits: [] }, "Edit(src/**)"],
    ["Grep", { pattern: "x", path: "src" }, "Grep(src/**)"],
    ["Glob", { pattern: "**/*.ts" }, "Glob(.)"],
    ["read", "anything", "Read"],
  ])("%s of %j is covered by %s", (tool, input, rule) => {
    expect(coverTool(tool, input, rule)).toBe("covered");
  });

  test.each([
    ["Read", "docs.md", "Read(./docs/**)"],
    ["Read", "docs/../secret", "Read(./docs/**)"],
    ["Read", "docs/../../etc/passwd", "Read(./docs/**)"],
    ["Read", "/etc/passwd", "Read(./**)"],
    ["Read", "/project-other/a", "Read(./**)"],
    ["Read", "sub/docs/a.md", "Read(./docs/**)"],
    ["Read", "Docs/a.md", "Read(./docs/**)"],
    ["Read", "src/deep/a.ts", "Read(src/*.ts)"],
    ["Read", "docs/a.md\0.txt", "Read(./docs/**)"],
    ["Read", "", "Read(./**)"],
    ["Read", {}, "Read(./**)"],
    ["Read", { file_path: "docs/a", path: "/etc/passwd" }, "Read(./docs/**)"],
    ["Read", { file_path: ["docs/a"] }, "Read(./docs/**)"],
    ["Read", "~other/x", "Read(./**)"],
    ["Write", "docs/a.md", "Read(./docs/**)"],
    ["Write", "src/a.ts", "Edit(src/**)"],
    ["Glob", { pattern: "../**" }, "Glob(.)"],
    ["Glob", { pattern: "/etc/*" }, "Glob(.)"],
    ["ReadAll", "docs/a.md", "Read"],
  ])("%s of %j is not covered by %s", (tool, input, rule) => {
    expect(coverTool(tool, input, rule)).not.toBe("covered");
  });
});

describe("addresses, servers and names", () => {
  test.each([
    ["WebFetch", { url: "https://example.com/a?b" }, "WebFetch(domain:example.com)"],
    ["WebFetch", { url: "https://EXAMPLE.com./a", prompt: "x" }, "WebFetch(domain:example.com)"],
    ["WebFetch", "https://api.example.com", "WebFetch(domain:*.example.com)"],
    ["WebFetch", "anything", "WebFetch"],
    ["mcp__github__create_issue", { title: "x" }, "mcp__github"],
    ["mcp__github__create_issue", {}, "mcp__github__*"],
    ["mcp__github__create_issue", undefined, "mcp__github__create_issue"],
    ["Skill", { skill: "pdf" }, "Skill(pdf)"],
    ["Skill", "pdf form.pdf", "Skill(pdf *)"],
    ["Agent", { subagent_type: "Explore", prompt: "x" }, "Task(Explore)"],
    ["Whatever", { a: 1 }, "*"],
  ])("%s of %j is covered by %s", (tool, input, rule) => {
    expect(coverTool(tool, input, rule)).toBe("covered");
  });

  test.each([
    ["WebFetch", "https://example.com@evil.test/", "WebFetch(domain:example.com)"],
    ["WebFetch", "https://example.com\\@evil.test/", "WebFetch(domain:example.com)"],
    ["WebFetch", "https:/\t/example.com", "WebFetch(domain:example.com)"],
    ["WebFetch", "//example.com/", "WebFetch(domain:example.com)"],
    ["WebFetch", "https://evil.test/example.com", "WebFetch(domain:example.com)"],
    ["WebFetch", "https://example.com.evil.test", "WebFetch(domain:example.com)"],
    ["WebFetch", "https://notexample.com", "WebFetch(domain:*.example.com)"],
    ["WebFetch", "https://sub.example.com", "WebFetch(domain:example.com)"],
    ["WebFetch", "file://example.com/etc/passwd", "WebFetch(domain:example.com)"],
    ["WebFetch", { url: 1 }, "WebFetch(domain:example.com)"],
    ["mcp__github2__x", {}, "mcp__github"],
    ["mcp__git", {}, "mcp__github"],
    ["Skill", "pdf-evil", "Skill(pdf)"],
    ["Skill", "pdfx", "Skill(pdf *)"],
    ["Bash", "ls", "Read"],
  ])("%s of %j is not covered by %s", (tool, input, rule) => {
    expect(coverTool(tool, input, rule)).not.toBe("covered");
  });
});

describe("the input of a shell tool", () => {
  test("is a command, alone or with what does not change it", () => {
    for (const input of [
      "git status",
      { command: "git status" },
      { command: ["git", "status"] },
      { command: ["bash", "-lc", "git status"] },
      { command: "git status", description: "look", timeout: 5, run_in_background: true },
      { command: "git status", workdir: "/project" },
    ])
      expect(coverTool("Bash", input, "Bash(git status)"), JSON.stringify(input)).toBe("covered");
  });

  test("is covered by no pattern when it has anything else in it", () => {
    for (const input of [
      undefined,
      null,
      7,
      {},
      { command: 7 },
      { command: ["git", 7] },
      { command: ["git status"] },
      { command: ["bash", "-lc", "git status; rm x"] },
      { command: "git status", env: { PATH: "/tmp" } },
      { command: "git status", shell: "/tmp/x" },
      { command: "git status", cwd: "/elsewhere" },
      { cmd: "git status" },
    ])
      expect(coverTool("Bash", input, "Bash(git status)"), JSON.stringify(input)).not.toBe("covered");
  });

  test("is anything at all for a rule without a pattern", () => {
    for (const input of ["rm -rf x", `x ${"a".repeat(9000)}`, "if", { command: "a", env: {} }, undefined])
      expect(coverTool("shell", input, "Bash")).toBe("covered");
  });
});

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
