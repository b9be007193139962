import { describe, expect, test } from "vitest";
import { coverTool } from "../testing/cover-command.ts";

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
