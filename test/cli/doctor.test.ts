import { spawnSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSandbox, type Document, skillText } from "./sandbox.ts";

const HAS_BUBBLEWRAP = spawnSync("bwrap", ["--version"], { stdio: "ignore" }).status === 0;
if (!HAS_BUBBLEWRAP) console.warn("Skipped: the sandbox in doctor, because there is no bwrap.");

const find = (document: Document, check: string, status: string): Document[] =>
  document.findings.filter((finding: Document) => finding.check === check && finding.status === status);

describe("doctor", () => {
  test("an empty machine is fine", async () => {
    const { exitCode, document } = await createSandbox().json(["doctor"]);
    expect(exitCode).toBe(0);
    expect(document.ok).toBe(true);
    const checks = new Set(document.findings.map(({ check }: Document) => check));
    expect([...checks]).toEqual(
      expect.arrayContaining([
        "node",
        "home",
        "config",
        "trust",
        "cache",
        "audit",
        "sandbox",
        "roots",
        "skills",
        "project",
      ]),
    );
    expect(document.findings.filter(({ status }: Document) => status === "problem")).toEqual([]);
  });

  test.skipIf(!HAS_BUBBLEWRAP)("the sandbox is tried, and said to hold", async () => {
    const { document } = await createSandbox().json(["doctor"]);
    const [found] = document.findings.filter(({ check }: Document) => check === "sandbox");
    expect(found.message).toMatch(
      /^bubblewrap holds(: a write and a connection were tried and denied|, with )/,
    );
  });

  test("a skill that failed is a problem with a place and a remedy", async () => {
    const sandbox = createSandbox();
    const file = sandbox.write("home/.skillet/skills/broken/SKILL.md", "---\nname: [\n---\n");
    const { exitCode, document } = await sandbox.json(["doctor"]);
    expect(exitCode).toBe(1);
    expect(find(document, "skills", "problem")[0]).toMatchObject({
      file,
      line: expect.any(Number),
      hint: expect.any(String),
    });
  });

  test("names that clash, projects that wait and placeholders that would expand are pointed out", async () => {
    const sandbox = createSandbox();
    sandbox.write("home/.skillet/skills/pdf/SKILL.md", `${skillText("pdf")}It costs $5, not \\$6.\n`);
    sandbox.write("home/.claude/skills/pdf/SKILL.md", skillText("pdf", "Another."));
    sandbox.write("project/.skillet/skills/deploy/SKILL.md", skillText("deploy"));
    const { exitCode, document } = await sandbox.json(["doctor"]);
    expect(exitCode).toBe(0);
    expect(find(document, "names", "warning")).toHaveLength(1);
    expect(find(document, "project", "warning")[0].hint).toContain(`skillet trust ${sandbox.project}`);
    expect(find(document, "arguments", "warning")).toEqual([
      {
        check: "arguments",
        status: "warning",
        message: "$5 in pdf is replaced when it is called with arguments",
        hint: "Write \\$5 to keep it, or declare arguments in the header.",
        file: join(sandbox.home, ".skillet/skills/pdf/SKILL.md"),
        line: 9,
        column: 10,
      },
    ]);
  });

  test("placeholders of a command are what it is called with", async () => {
    const sandbox = createSandbox();
    sandbox.write("home/.claude/commands/release.md", "Release version $1.\n");
    const { document } = await sandbox.json(["doctor"]);
    expect(find(document, "arguments", "warning")).toEqual([]);
  });

  test("a body full of prices is more than one call takes, and its first ones are named", async () => {
    const sandbox = createSandbox();
    sandbox.write("home/.skillet/skills/shop/SKILL.md", `${skillText("shop")}${"$1 ".repeat(340_000)}`);
    const { exitCode, document } = await sandbox.json(["doctor"]);
    expect(exitCode).toBe(0);
    const found = find(document, "arguments", "warning");
    expect(found).toHaveLength(21);
    expect(found.at(-1)).toMatchObject({ message: "339980 more of the same kind in shop" });
    const { stdout, stderr } = await sandbox.skillet(["doctor"]);
    expect(stderr).toBe("");
    expect(stdout).toContain("and 11 more: skillet doctor --json");
  });

  test("a log that was tampered with is a problem", async () => {
    const sandbox = createSandbox();
    sandbox.write("home/.skillet/skills/pdf/SKILL.md", skillText("pdf"));
    await sandbox.skillet(["disable", "pdf"]);
    appendFileSync(join(sandbox.home, ".skillet/audit.jsonl"), '{"sequence":2}\n');
    const { exitCode, document } = await sandbox.json(["doctor"]);
    expect(exitCode).toBe(1);
    expect(find(document, "audit", "problem")).toEqual([expect.objectContaining({ line: 2 })]);
  });

  test("broken config and a broken trust store are reported together with the rest", async () => {
    const sandbox = createSandbox();
    const config = sandbox.write("home/.skillet/config.yaml", "skills:\n  scriptTimeout: soon\n");
    sandbox.write("home/.skillet/trust.json", "{");
    const { exitCode, document } = await sandbox.json(["doctor"]);
    expect(exitCode).toBe(1);
    expect(find(document, "trust", "problem")).toHaveLength(1);
    expect(find(document, "audit", "ok")).toHaveLength(1);
    expect(
      find(document, "config", "problem").length + find(document, "skills", "problem").length,
    ).toBeGreaterThan(0);
    const onlyConfig = createSandbox();
    onlyConfig.write("home/.skillet/config.yaml", "skills:\n  scriptTimeout: soon\n");
    const second = await onlyConfig.json(["doctor"]);
    expect(find(second.document, "config", "problem")).toEqual([
      expect.objectContaining({ file: config.replace(sandbox.home, onlyConfig.home), line: 2, column: 18 }),
    ]);
  });

  test("a broken trust store is no fault of the config", async () => {
    const sandbox = createSandbox();
    const store = sandbox.write("home/.skillet/trust.json", "{");
    const { exitCode, document } = await sandbox.json(["doctor"]);
    expect(exitCode).toBe(1);
    const of = (wanted: string): Document[] =>
      document.findings.filter(({ check }: Document) => check === wanted);
    expect(of("config").map(({ status }) => status)).toEqual(["ok"]);
    expect(of("trust")).toEqual([expect.objectContaining({ status: "problem", file: store })]);
    const config = sandbox.write("home/.skillet/config.yaml", "skills:\n  scriptTimeout: soon\n");
    const both = (await sandbox.json(["doctor"])).document;
    expect(find(both, "config", "problem")).toEqual([expect.objectContaining({ file: config, line: 2 })]);
    expect(find(both, "trust", "problem")).toEqual([expect.objectContaining({ file: store })]);
  });

  test("a home that is no folder is a problem", async () => {
    const sandbox = createSandbox();
    sandbox.write("home/.skillet", "a file");
    const { exitCode, document } = await sandbox.json(["doctor"]);
    expect(exitCode).toBe(1);
    expect(find(document, "home", "problem")).toHaveLength(1);
  });
});
