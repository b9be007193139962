import { expect, test } from "vitest";
import { createSandbox, type Document, skillText } from "./sandbox.ts";

const SKILLS = "home/.skillet/skills";

test("SKILLS.md is diagnosed, with the name that skills are read from", async () => {
  const sandbox = createSandbox();
  const file = sandbox.write(`${SKILLS}/plural/SKILLS.md`, skillText("plural"));
  const { document } = await sandbox.json(["show"]);
  expect(document.diagnostics).toEqual([
    expect.objectContaining({ code: "misspelled-skill-file", file, hint: "Rename it to SKILL.md." }),
  ]);
});

test("the heading of a skill without a header becomes its display name", async () => {
  const sandbox = createSandbox();
  sandbox.write(`${SKILLS}/my-skill/SKILL.md`, "# My Skill Title\n\nFills in forms.\n");
  const { document } = await sandbox.json(["explain", "my-skill"]);
  expect(document).toMatchObject({
    name: "my-skill",
    displayName: "My Skill Title",
    description: "Fills in forms.",
  });
  const { stdout } = await sandbox.skillet(["explain", "my-skill"]);
  expect(stdout).toMatch(/^ {2}title +My Skill Title$/m);
});

test("tags and related_skills below any client's metadata are taken, searched and shown", async () => {
  const sandbox = createSandbox();
  const metadata = "metadata:\n  yourapp:\n    tags: [forms, paper]\n    related_skills: [ocr, absent]\n";
  sandbox.write(`${SKILLS}/pdf/SKILL.md`, skillText("pdf").replace("---\n\n", `${metadata}---\n\n`));
  sandbox.write(`${SKILLS}/ocr/SKILL.md`, skillText("ocr"));
  const { document } = await sandbox.json(["explain", "pdf"]);
  expect(document).toMatchObject({ tags: ["forms", "paper"], relatedSkills: ["ocr", "absent"] });
  const { stdout } = await sandbox.skillet(["explain", "pdf"]);
  expect(stdout).toMatch(/^ {2}tags +forms, paper$/m);
  expect(stdout).toMatch(/^ {2}related +ocr, absent \(not here\)$/m);
  const found = await sandbox.json(["show", "--search", "paper"]);
  expect(found.document.skills.map(({ name }: Document) => name)).toEqual(["pdf"]);
  // A model that loads it is told of those that it can load.
  const activated = await sandbox.skillet(["activate", "pdf"]);
  expect(activated.stdout).toContain("Related skills: ocr\n");
});

test("a toolset that is a class of a module is diagnosed, with the way out", async () => {
  const sandbox = createSandbox();
  const toolsets = "toolsets:\n  - toolsets/index:MyToolset\n";
  sandbox.write(`${SKILLS}/pdf/SKILL.md`, skillText("pdf").replace("---\n\n", `${toolsets}---\n\n`));
  const expected = expect.objectContaining({
    code: "toolset-module",
    severity: "warning",
    message: expect.stringContaining("toolsets/index:MyToolset"),
    hint: expect.stringContaining(".yaml"),
  });
  const explained = await sandbox.json(["explain", "pdf"]);
  expect(explained.document.toolsets[0].diagnostics).toEqual([expected]);
  const validated = await sandbox.json(["validate", `../${SKILLS}/pdf`]);
  expect(JSON.stringify(validated.document)).toContain('"toolset-module"');
});
