// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are variables of rules
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseToolRule } from "./parse-tool-rule.ts";

const directories = { project: "/srv/app", skill: "/skills/my skill", home: "/home/me" };
const parse = (text: string) => parseToolRule(text, directories);
const exact = (...words: readonly string[]) => words.map((text) => ({ text, match: "exact" }));

describe("tools", () => {
  test.each([
    ["Read", { name: "read", match: "exact" }],
    ["  Read ", { name: "read", match: "exact" }],
    ["Bash(*)", { name: "bash", match: "exact" }],
    ["Bash(:*)", { name: "bash", match: "exact" }],
    ["run_shell_command", { name: "bash", match: "exact" }],
    ["MultiEdit", { name: "edit", match: "exact" }],
    ["mcp__github__create_issue", { name: "mcp__github__create_issue", match: "exact" }],
    ["mcp__github__*", { name: "mcp__github__", match: "prefix" }],
    ["mcp__github", { name: "mcp__github__", match: "prefix" }],
    ["mcp__github__get_*", { name: "mcp__github__get_", match: "prefix" }],
    ["mcp__*", { name: "mcp__", match: "prefix" }],
    ["*", { name: "", match: "prefix" }],
  ])("%s is for a tool as a whole", (text, tool) => {
    expect(parse(text)).toEqual({ rule: { kind: "tool", text: text.trim(), tool } });
  });
});

describe("commands", () => {
  const tool = { name: "bash", match: "exact" };

  test.each([
    ["Bash(git status)", exact("git", "status"), "exact"],
    ["Bash(git cherry-pick:*)", exact("git", "cherry-pick"), "prefix"],
    ["Bash(gh pr:*)", exact("gh", "pr"), "prefix"],
    ["Bash(git *)", exact("git"), "prefix"],
    ["Bash( git  log :* )", exact("git", "log"), "prefix"],
    ["Bash (git log:*)", exact("git", "log"), "prefix"],
    ["shell(npm run test:unit)", exact("npm", "run", "test:unit"), "exact"],
    [`Bash(python "my script.py" 'a b':*)`, exact("python", "my script.py", "a b"), "prefix"],
    ["Bash(${CLAUDE_SKILL_DIR}/run.sh:*)", exact("/skills/my skill/run.sh"), "prefix"],
    ["Bash(python {baseDir}/x.py)", exact("python", "/skills/my skill/x.py"), "exact"],
    ["Bash(make -C ${CLAUDE_PROJECT_DIR})", exact("make", "-C", "/srv/app"), "exact"],
    [
      "Bash(git push * main)",
      [...exact("git", "push"), { text: "", match: "any" }, ...exact("main")],
      "exact",
    ],
    ["Bash(npm run test*)", [...exact("npm", "run"), { text: "test", match: "prefix" }], "prefix"],
  ])("%s", (text, words, match) => {
    expect(parse(text)).toEqual({ rule: { kind: "shell", text, tool, words, match } });
  });

  test.each([
    "Bash()",
    "Bash(git status && git diff)",
    "Bash(git log | head)",
    "Bash(git log > x)",
    "Bash($(git log))",
    "Bash(`git log`)",
    "Bash($GIT log)",
    "Bash(${HOME}/bin/x)",
    "Bash(FOO=1 npm test)",
    "Bash(git:*, npm:*)",
    "Bash(git:* log)",
    "Bash(a*b c)",
    "Bash(* --version)",
    "Bash(git 'log'x)",
    "Bash(git {log,diff})",
    "Bash(~/bin/x)",
    "Bash(git log",
    "Bash(git log) x",
  ])("%s is not understood, but its tool is", (text) => {
    expect(parse(text)).toMatchObject({ problem: expect.any(String), hint: expect.any(String), tool });
  });

  test("a variable without a value is not understood", () => {
    expect(parseToolRule("Bash(${CLAUDE_SKILL_DIR}/run.sh)", {})).toHaveProperty("problem");
    expect(parseToolRule("Read(${CLAUDE_SKILL_DIR}/**)", {})).toHaveProperty("problem");
    expect(parseToolRule("Read(./docs/**)", {})).toHaveProperty("problem");
  });
});

describe("paths", () => {
  const app = ["srv", "app"];

  test.each([
    ["Read(./docs/**)", [{ folder: app, rest: ["docs", "**"] }]],
    ["Edit(src/**)", [{ folder: app, rest: ["src", "**"] }]],
    ["Read(docs/)", [{ folder: app, rest: ["**", "docs", "**"] }]],
    ["Read(*.md)", [{ folder: app, rest: ["**", "*.md"] }]],
    [
      "Read(src/*.{ts,tsx})",
      [
        { folder: app, rest: ["src", "*.ts"] },
        { folder: app, rest: ["src", "*.tsx"] },
      ],
    ],
    ["Read(//etc/hosts)", [{ folder: [], rest: ["etc", "hosts"] }]],
    ["Read(~/notes/*)", [{ folder: ["home", "me"], rest: ["notes", "*"] }]],
    [
      "Read(/docs/a)",
      [
        { folder: [], rest: ["docs", "a"] },
        { folder: app, rest: ["docs", "a"] },
      ],
    ],
    ["Read(../lib/**)", [{ folder: ["srv"], rest: ["lib", "**"] }]],
    ["Read(.)", [{ folder: app, rest: ["**"] }]],
    [
      "Read(${CLAUDE_SKILL_DIR}/references/**)",
      [{ folder: ["skills", "my skill"], rest: ["references", "**"] }],
    ],
  ])("%s", (text, patterns) => {
    expect(parse(text)).toMatchObject({ rule: { kind: "path", text, patterns } });
  });

  test.each([
    "Read(a/../b)",
    "Read(a[b])",
    "Read(!a)",
    "Read({a,{b,c}})",
    "Read(~you/x)",
    "Read(a/${X}/b)",
    "Read()",
  ])("%s is not understood", (text) => {
    expect(parse(text)).toHaveProperty("problem");
  });
});

describe("other inputs", () => {
  test.each([
    ["WebFetch(domain:Example.com)", { kind: "domain", domain: "example.com", match: "exact" }],
    ["WebFetch(domain:*.example.com)", { kind: "domain", domain: "example.com", match: "subdomains" }],
    ["Skill(pdf)", { kind: "value", value: "pdf", match: "exact" }],
    ["Skill(pdf *)", { kind: "value", value: "pdf", match: "prefix" }],
    ["Task(Explore)", { kind: "value", value: "Explore", match: "exact" }],
    ["run_skill_script(pdf)", { kind: "value", value: "pdf", match: "exact" }],
    ["run_skill_script(user:pdf:*)", { kind: "value", value: "user:pdf", match: "prefix" }],
    ["run_skill_script(pdf/nested:*)", { kind: "value", value: "pdf/nested", match: "prefix" }],
    [
      "run_skill_script(kit:pdf:scripts/fill.py)",
      { kind: "value", value: "kit:pdf:scripts/fill.py", match: "exact" },
    ],
  ])("%s", (text, expected) => {
    expect(parse(text)).toMatchObject({ rule: { text, ...expected } });
  });

  test.each([
    "",
    "()",
    "Read Write",
    "Write(",
    "WebFetch(https://example.com)",
    "Node(x)",
    "Note*",
    "mcp__a(x)",
    "Skill(a*b)",
    "run_skill_script(pdf:scripts)",
    "run_skill_script(pdf:scripts/)",
    "run_skill_script(pdf:scripts/:*)",
    "run_skill_script(pdf:scripts/fill.py:*)",
    "run_skill_script(pdf:scripts/*)",
    "run_skill_script(pdf:./scripts/fill.py)",
    "run_skill_script(pdf:scripts//fill.py)",
    "run_skill_script(pdf/scripts/fill.py)",
    "run_skill_script(scripts/fill.py)",
    "run_skill_script(:scripts/fill.py)",
    "run_skill_script(pdf::*)",
  ])("%j is not understood", (text) => {
    expect(parse(text)).toMatchObject({ problem: expect.any(String), hint: expect.any(String) });
  });

  test("no text makes it fail, and what is understood keeps its text", () => {
    const part = fc.constantFrom(
      "Bash",
      "Read",
      "mcp__",
      "(",
      ")",
      "git",
      ":*",
      "*",
      "'",
      '"',
      "${CLAUDE_SKILL_DIR}",
      "/",
      "..",
      "{",
      ",",
      "~",
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(part, fc.string()), { maxLength: 12 }), (parts) => {
        const text = parts.join("");
        const reading = parse(text);
        if ("rule" in reading) expect(reading.rule.text).toBe(text.trim());
      }),
    );
    expect(parse(`Bash(${"a".repeat(2000)})`)).toHaveProperty("problem", "has more than 1024 characters");
  });
});
