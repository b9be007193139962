import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ScanReport, type SkillFile, scanSkill } from "@skillet/scan";
import { describe, expect, test } from "vitest";

const REPOSITORY = join(import.meta.dirname, "..");

describe("what ships with Skillet passes its own scanner", () => {
  test.each(readdirSync(join(REPOSITORY, "skills")))("the bundled skill %s is safe", async (name) => {
    const report = await scanSkill(readFolder(join(REPOSITORY, "skills", name)));
    expect({ verdict: report.verdict, findings: countedOf(report) }).toEqual({
      verdict: "safe",
      findings: [],
    });
  });

  test("the documentation, which shows attacks, is not called dangerous", async () => {
    const files = [
      about("How to use Skillet and its security scanner, which detects attacks in skills."),
      ...readFolder(join(REPOSITORY, "docs")),
    ];
    const report = await scanSkill(files);
    expect(countedOf(report).filter(({ severity }) => severity === "critical")).toEqual([]);
  });

  test("the rules, which name everything that is bad, are not called dangerous", async () => {
    const files = [
      about("Rules of a scanner that detects attacks."),
      ...readFolder(join(REPOSITORY, "packages/scan/src/rule")),
    ];
    const report = await scanSkill(files.filter(({ path }) => !path.endsWith(".test.ts")));
    expect(countedOf(report).filter(({ severity }) => severity === "critical")).toEqual([]);
  });
});

function about(description: string): SkillFile {
  const text = `---\nname: skillet-own\ndescription: ${description}\n---\n\n# Skillet\n`;
  return { path: "SKILL.md", mode: "644", bytes: Buffer.from(text) };
}

function readFolder(folder: string, prefix = ""): SkillFile[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (lstatSync(path).isDirectory()) return readFolder(path, `${prefix}${name}/`);
    return [{ path: `${prefix}${name}`, mode: "644" as const, bytes: readFileSync(path) }];
  });
}

function countedOf({ findings }: ScanReport) {
  return findings
    .filter(({ severity }) => severity !== "info")
    .map(({ rule, severity, file, line, message }) => ({ rule, severity, file, line, message }));
}
