import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSandbox, type Document } from "./sandbox.ts";

const SKILL =
  "---\nname: pdf\ndescription: Fills in PDF forms. Use when a form came.\nallowed-tools: Read Read\n---\n\nRun `scripts/fill.sh form.pdf` on the form.\n";

describe("skillet lint", () => {
  test("finds nothing to improve about the bundled skills", async () => {
    const { exitCode, document } = await createSandbox().json([
      "lint",
      new URL("../../skills", import.meta.url).pathname,
    ]);
    expect(document.results.length).toBeGreaterThan(10);
    expect(document.results.flatMap(({ findings }: Document) => findings)).toEqual([]);
    expect(exitCode).toBe(0);
  });

  test("--fix makes scripts executable and keeps one of each tool, and then nothing is left", async () => {
    const sandbox = createSandbox();
    const file = sandbox.write("project/skills/pdf/SKILL.md", SKILL);
    const script = sandbox.write("project/skills/pdf/scripts/fill.sh", "#!/bin/sh\n# Fills in.\n");
    chmodSync(script, 0o644);
    expect((await sandbox.skillet(["lint", "skills"])).stdout).toContain(
      "Some of this can be fixed: add --fix",
    );
    const { exitCode, document } = await sandbox.json(["lint", "skills", "--fix"]);
    expect(document.results).toMatchObject([
      { fixed: ["script-not-executable", "tools-repeated"], findings: [] },
    ]);
    expect(exitCode).toBe(0);
    expect(readFileSync(file, "utf8")).toBe(SKILL.replace("Read Read", "Read"));
    expect(statSync(script).mode & 0o111).toBe(0o111);
  });

  test("--fix changes no file that a link leads to, out of the skill", async () => {
    const sandbox = createSandbox();
    sandbox.write("project/skills/pdf/SKILL.md", SKILL);
    const outside = sandbox.write("home/mine.sh", "#!/bin/sh\n");
    chmodSync(outside, 0o644);
    mkdirSync(join(sandbox.project, "skills/pdf/scripts"));
    symlinkSync(outside, join(sandbox.project, "skills/pdf/scripts/fill.sh"));
    await sandbox.skillet(["lint", "skills", "--fix"]);
    expect(statSync(outside).mode & 0o777).toBe(0o644);
  });

  test("compares a skill with its neighbours, and writes SARIF with what was silenced", async () => {
    const sandbox = createSandbox();
    const like = (name: string, more = ""): string =>
      `---\nname: ${name}\n${more}description: Fills in the forms that customers send by mail. Use when asked. Also ${name}.\n---\n\nRead the form, then fill it in.\n`;
    const silence = "# lint-allow skill-collides: it replaces the other soon\n";
    sandbox.write("project/skills/one/SKILL.md", like("one", silence));
    sandbox.write("project/skills/two/SKILL.md", like("two"));
    const { exitCode, stdout } = await sandbox.skillet([
      "lint",
      "skills/one",
      "skills/two",
      "--format",
      "sarif",
    ]);
    const [run] = JSON.parse(stdout).runs;
    const rows = run.results.map(({ ruleId, locations, suppressions }: Document) => [
      ...[ruleId, locations[0].physicalLocation.artifactLocation.uri, suppressions?.[0].justification],
    ]);
    expect(exitCode).toBe(1);
    expect(rows).toContainEqual(["description-shared-start", "skills/one/SKILL.md", undefined]);
    expect(rows).toContainEqual(["description-shared-start", "skills/two/SKILL.md", undefined]);
    const silenced = rows.filter(([, , reason]: Document) => reason !== undefined).map(String);
    expect(new Set(silenced)).toEqual(
      new Set(["skill-collides,skills/one/SKILL.md,it replaces the other soon"]),
    );
  });

  test("leaves what does not load to validate, and ends with 2 where there is nothing", async () => {
    const sandbox = createSandbox();
    sandbox.write("project/skills/pdf/SKILL.md", "---\nname: !!js pdf\n---\n");
    expect((await sandbox.skillet(["lint", "skills"])).stdout).toContain(
      "does not load: skillet validate skills/pdf",
    );
    expect((await sandbox.skillet(["lint", "./nothing"])).exitCode).toBe(2);
  });
});
