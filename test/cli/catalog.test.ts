import { describe, expect, test } from "vitest";
import { createSandbox, skillText } from "./sandbox.ts";

describe("catalog", () => {
  test("is what a model is told: offered skills only, escaped", async () => {
    const sandbox = createSandbox();
    const path = sandbox.write("skills/pdf/SKILL.md", skillText("pdf", "Fills <forms> & more."));
    const needs = "---\nname: needs\ndescription: Needs it.\nmetadata:\n  requires: no-such-tool-here\n---\n";
    sandbox.write("skills/needs/SKILL.md", needs);
    const manual = "---\nname: manual\ndescription: For people.\ndisable-model-invocation: true\n---\n";
    sandbox.write("skills/manual/SKILL.md", manual);
    const roots = ["--skills-root", "../skills"];
    const text = `<available_skills>
<skill>
<name>
pdf
</name>
<description>
Fills &lt;forms&gt; &amp; more.
</description>
<location>
${path}
</location>
</skill>
</available_skills>`;
    expect((await sandbox.skillet(["catalog", ...roots])).stdout).toBe(`${text}\n`);
    expect((await sandbox.json(["catalog", ...roots])).document).toEqual({
      schemaVersion: 1,
      text,
      tokens: Math.ceil(text.length / 4),
      report: { shown: ["pdf"], shortened: [], omitted: [] },
    });
    expect(JSON.parse((await sandbox.skillet(["catalog", "--format", "json", ...roots])).stdout)).toEqual([
      { name: "pdf", description: "Fills <forms> & more.", location: path },
    ]);
  });

  test("without skills a model is told nothing", async () => {
    const sandbox = createSandbox();
    const run = await sandbox.skillet(["catalog", "--skills-root", "."]);
    expect({ exitCode: run.exitCode, stdout: run.stdout }).toEqual({ exitCode: 0, stdout: "" });
    expect((await sandbox.json(["catalog", "--skills-root", "."])).document).toEqual({
      schemaVersion: 1,
      text: "",
      tokens: 0,
      report: { shown: [], shortened: [], omitted: [] },
    });
  });
});
