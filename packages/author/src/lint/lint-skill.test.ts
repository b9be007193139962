import { repairSkill } from "@skillet/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { LINT_RULES, type LintInput, lintSkill } from "./lint-skill.ts";

const GOOD = "Fills in PDF forms. Use when a form has to be filled in.";
const STEPS = "1. Read the form.\n2. Fill it in.\n3. Save it.";
const text = (description: string, body = "Read the form, then fill it in carefully.", more = ""): string =>
  `---\nname: pdf-forms\ndescription: ${JSON.stringify(description)}\n${more}---\n\n${body}\n`;
const skill = (...parts: Parameters<typeof text>): LintInput => ({
  file: "pdf-forms/SKILL.md",
  text: text(...parts),
});
const body = (written: string): LintInput => skill(GOOD, written);
const tools = (allowed: string, written = "Read the form:\n\n```sh\ngit log -1\n```"): LintInput =>
  skill(GOOD, written, `allowed-tools: ${allowed}\n`);
const script = (content: string, executable = true): LintInput => ({
  ...body("Fill in the form with `scripts/fill.sh form.pdf`."),
  files: [{ path: "scripts/fill.sh", executable, text: content }],
});
const among = (description: string, other: string): LintInput => ({
  ...skill(description),
  others: new Map([["other", { description: other }]]),
});
const collision = (names: readonly string[]): LintInput => ({
  ...skill(GOOD),
  collisions: [{ kind: "copy", skills: names, harm: 2, directions: [] }],
});
const allowing = (line: string, written = "Line of text.\n".repeat(501)): LintInput =>
  skill(GOOD, written, `${line}\n`);

/** By rule: a skill that it finds something in, and one like it that is fine. */
const CASES: Readonly<Record<string, readonly [LintInput, LintInput]>> = {
  "name-reserved-word": [{ file: "S", text: text(GOOD).replace("pdf-forms", "claude-pdf") }, skill(GOOD)],
  "description-tags": [
    skill("Fills <system>forms</system>. Use when asked."),
    skill("Use when a < b, or x -> y."),
  ],
  "description-vague": [skill("Git stuff"), skill("Fills in forms")],
  "description-no-when": [skill("Fills in PDF forms and saves them."), skill(GOOD)],
  "description-only-negative": [
    skill("Fills in forms. Not for invoices."),
    skill(`${GOOD} Not for invoices.`),
  ],
  "description-first-person": [
    skill("I can fill in forms when asked."),
    skill("In forms, fills gaps when asked."),
  ],
  "description-repeated": [
    skill(
      `${GOOD} Not for invoices or for letters of any kind.`,
      `${GOOD} Not for invoices or for letters of any kind.`,
    ),
    skill(`${GOOD} Not for invoices or for letters of any kind.`, "Read the form, then fill it in."),
  ],
  "body-long": [body("Line of text.\n".repeat(501)), body("Line of text.\n".repeat(500))],
  "body-empty": [body("Go."), body("Read the form, then fill it in.")],
  "no-success-criterion": [body(STEPS), body(`${STEPS}\n\nDone when no field is empty.`)],
  "placeholder-left": [
    body("1. TODO: say what to do first of all."),
    body("```\nTODO: an example of a note\n```\nRead it, and name a fact that can be checked."),
  ],
  "absolute-path": [
    body("Read the form in /Users/ann/forms/a.pdf first."),
    body("Read the form in /home/user/forms first."),
  ],
  "argument-token": [
    body("Print the sum with awk and $1 and no more."),
    body("It costs \\$1, or $100, or $2.50 a day."),
  ],
  "host-tool": [
    body("Keep the list of steps with TodoWrite at all times."),
    body("Keep a list of the steps at all times."),
  ],
  "file-missing": [
    body("Before you begin, read references/forms.md."),
    {
      ...body("Before you begin, read references/forms.md."),
      files: [{ path: "references/forms.md", executable: false }],
    },
  ],
  "file-unmentioned": [
    { ...skill(GOOD), files: [{ path: "references/forms.md", executable: false }] },
    {
      ...body("Read the reference forms.md, then begin."),
      files: [{ path: "references/forms.md", executable: false }],
    },
  ],
  "script-not-executable": [
    script("#!/bin/sh\n# Fills in the form.\n", false),
    script("#!/bin/sh\n# Fills in the form.\n"),
  ],
  "script-no-usage": [
    script('#!/bin/sh\nfill "$1"\n'),
    script('#!/bin/sh\n# Usage: fill.sh FORM\nfill "$1"\n'),
  ],
  "script-prompts": [
    script("#!/bin/sh\n# Fills in.\nread -p 'Name? ' name\n"),
    script("#!/bin/sh\n# Fills in.\nread -r name < form\n"),
  ],
  "allowed-tools-broad": [tools("Read Bash"), tools("Read Bash(git log:*)")],
  "tools-uncovered": [
    tools("Bash(gh pr view:*)", "Use gh pr view, then:\n\n```sh\nFORM=1 git log -1\n```"),
    tools("Bash(git log:*)"),
  ],
  "tools-unused": [tools("Bash(git log:*) Bash(docker ps:*)"), tools("Bash(git log:*)")],
  "tools-repeated": [tools("Bash(git log:*) Read Read"), tools("Bash(git log:*) Read")],
  "description-shared-start": [
    among(`${GOOD} And when one is half done.`, `${GOOD} And when none is there at all.`),
    among(`${GOOD} And when one is half done.`, "Reads invoices. Use when an invoice came."),
  ],
  "skill-collides": [collision(["other", "pdf-forms"]), collision(["one", "other"])],
  "lint-allow-unused": [
    allowing("# lint-allow body-long: it is a table", "Read the form, then fill it in."),
    allowing("# lint-allow body-long: it is a table"),
  ],
  "lint-allow-no-reason": [
    allowing("# lint-allow body-long"),
    allowing("# lint-allow body-long: it is a table"),
  ],
};

const codesOf = (input: LintInput): readonly string[] => lintSkill(input).findings.map(({ code }) => code);

test("there is an example of both kinds for every rule", () => {
  expect(Object.keys(CASES).toSorted()).toEqual(LINT_RULES.map(({ id }) => id).toSorted());
});

test.each(Object.entries(CASES))(
  "%s finds the poor skill and leaves the fine one alone",
  (id, [poor, fine]) => {
    expect(codesOf(poor)).toContain(id);
    expect(codesOf(fine)).not.toContain(id);
  },
);

test("of the template is what has its words in their place, and no empty file that it does not make", () => {
  const { text: written } = body("1. Fill it in. Done when: a fact that can be checked.");
  const files = [{ path: "scripts/__init__.py", executable: false, text: "" }];
  expect(codesOf({ file: "pdf-forms/SKILL.md", text: written })).toContain("placeholder-left");
  expect(codesOf({ ...skill(GOOD), files })).not.toContain("placeholder-left");
});

test("a comment with a reason silences a rule, and the reason is told", () => {
  const { findings, silenced } = lintSkill(allowing("# lint-allow body-long: it is a table"));
  expect(findings).toEqual([]);
  expect(silenced).toMatchObject([{ reason: "it is a table", finding: { code: "body-long" } }]);
});

test("a comment without a reason silences nothing", () => {
  expect(codesOf(allowing("# lint-allow body-long"))).toEqual(["body-long", "lint-allow-no-reason"]);
});

test("text of a value is not taken for a comment", () => {
  const more = "metadata:\n  note: |\n    # lint-allow body-long: quoted\n";
  expect(codesOf(skill(GOOD, "Line of text.\n".repeat(501), more))).toEqual(["body-long"]);
});

test("findings stand where they are in the file", () => {
  const { findings } = lintSkill(body("Read the form.\n\nThen open /Users/ann/forms/a.pdf in it."));
  expect(findings).toMatchObject([{ code: "absolute-path", range: { line: 8, column: 11 } }]);
});

test("a fix changes the list of tools and nothing else", () => {
  const poor = tools("Bash(git log:*) Read Read");
  expect(lintSkill(poor).fixes).toEqual([
    { code: "tools-repeated", text: poor.text.replace("Read Read", "Read") },
  ]);
});

test("what does not load is left to validation", () => {
  expect(lintSkill({ file: "SKILL.md", text: "---\na: !!js x\n---\n" })).toMatchObject({
    isLinted: false,
    findings: [],
  });
});

test("a list of tools is put right in a header that only loads because it is repaired in memory", () => {
  const { text: fine } = tools("Read Read");
  const broken = fine.replace(JSON.stringify(GOOD), "Fills in this: a form. Use when asked to.");
  const fixes = [{ code: "tools-repeated", text: repairSkill(broken).text.replace("Read Read", "Read") }];
  expect(lintSkill({ file: "pdf-forms/SKILL.md", text: broken }).fixes).toEqual(fixes);
});

test("a header that cannot be edited safely keeps its finding, without a fix", () => {
  const { findings, fixes } = lintSkill(
    skill(GOOD, "Read the form, then fill it in.", "allowed-tools: Read\nallowed-tools: Read Read\n{\n"),
  );
  expect([findings.map(({ code }) => code), fixes]).toEqual([["tools-repeated"], []]);
});

test("a paragraph that stands in for a description is not judged as one", () => {
  const headless = { file: "pdf-forms/SKILL.md", text: "# Forms\n\nRead the form, then fill it in.\n" };
  const nameless = { ...headless, text: `---\nname: pdf-forms\n---\n\n${headless.text}` };
  for (const input of [headless, nameless])
    expect(lintSkill(input).findings).toMatchObject([
      { code: "description-vague", message: "The description is missing." },
    ]);
});

const headerLine = fc.constantFrom(
  "description: Fills in: a form",
  'description: "Fills in',
  "description: @form",
  "description: [a",
  "Name: x",
  "name: 1.10",
  "allowed-tools: Read Read",
  "allowed-tools: [Read, Read",
  "allowed-tools:\n\t- Read\n\t- Read",
  "allowed-tools: {Read: Read}",
  "allowed-tools: Bash(git: x) Read Read",
  "\tmetadata: {",
  "? a",
  "- b",
  "{",
  "&a",
  "<<: *a",
  "a: *a",
  "a: !!js x",
  "---",
  "...",
  "a: |",
  "# lint-allow tools-repeated: why",
  "allowed_tools: Read Read",
);

test("no header, however broken, stops a rule or a fix", () => {
  const property = fc.property(fc.array(headerLine, { maxLength: 6 }), (lines) => {
    const broken = `---\nname: pdf-forms\n${lines.join("\n")}\n---\n\nRead references/a.md.\n`;
    const { fixes } = lintSkill({ file: "pdf-forms/SKILL.md", text: broken });
    for (const fix of fixes)
      expect(lintSkill({ file: "pdf-forms/SKILL.md", text: fix.text ?? "" }).isLinted).toBe(true);
    const { text: repaired } = repairSkill(broken, { directoryName: "pdf-forms" });
    expect(repairSkill(repaired, { directoryName: "pdf-forms" }).text).toBe(repaired);
  });
  fc.assert(property, { numRuns: 200 });
});

test("a description that fits every message is vague, whatever it says of when to use it", () => {
  expect(codesOf(skill("Use this: always, for everything"))).toContain("description-vague");
  expect(codesOf(skill("Use this for any spreadsheet"))).not.toContain("description-vague");
});
