import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type KnownScan, openSkills, type Skill, type Skills } from "@skillet/core";
import { mayUse } from "@skillet/core/internal";
import { expect, onTestFinished, test } from "vitest";
import { makeSkill } from "../testing/make-skill.ts";
import { plainLayout } from "../testing/plain-layout.ts";
import { decisions, type ToolsetRow, toolsetRows, toolsetSection } from "./decisions.ts";
import { requirementRows } from "./explanation.ts";

test("a skill that is offered passed every step", () => {
  const skill = makeSkill();
  const rows = decisions(mayUse(skill, { scan: { verdict: "safe" } }));
  expect(rows.map(({ what, outcome }) => `${what} ${outcome}`)).toEqual([
    ...["found yes", "loaded yes", "name kept", "enabled yes", "trusted yes", "scanned safe"],
    ...["available yes", "invocation model and user", "policy yes", "budget not measured", "offered yes"],
  ]);
});

test("a skill that is not offered says what stops it, with the same reason as the step", () => {
  const reason = "disabled by skills.overrides (config.yaml:3)";
  const skill = makeSkill({ state: "disabled", reason });
  const rows = decisions(mayUse(skill));
  expect(rows.find(({ what }) => what === "enabled")).toEqual({
    what: "enabled",
    cause: "state",
    outcome: "no",
    reason,
  });
  expect(rows.at(-1)).toEqual({ what: "offered", cause: "state", outcome: "no", reason });
});

test.each<[string, KnownScan | undefined, string, string, string]>([
  ["has no findings", { verdict: "safe" }, "safe", "no findings", "yes"],
  [
    "asks for caution",
    {
      verdict: "caution",
      diagnostics: [
        { code: "scan-caution", severity: "warning", message: "The scan asks for caution.", file: "x" },
      ],
    },
    "caution",
    "the scan asks for caution",
    "yes",
  ],
  [
    "is withheld",
    { verdict: "dangerous", withheld: "EX1 at SKILL.md:8" },
    ...(["dangerous", "EX1 at SKILL.md:8", "no"] as const),
  ],
  ["was not scanned", undefined, "no", "sessions scan only skills that they could offer", "yes"],
])("a skill that %s says what the scan says", (_what, scan, outcome, reason, offered) => {
  const skill = makeSkill();
  const rows = decisions(mayUse(skill, { scan }));
  expect(rows.find(({ what }) => what === "scanned")).toMatchObject({ outcome, reason });
  expect(rows.at(-1)?.outcome).toBe(offered);
});

test("requirements are met unless they are missing", () => {
  const skill = makeSkill({
    missing: [
      { kind: "command", names: ["gh"], message: "missing commands: gh" },
      { kind: "any-command", names: ["rg", "ag"], message: "needs one of the commands: rg, ag" },
    ],
  });
  const gating = {
    ...skill.manifest.gating,
    bins: ["git", "gh"],
    anyBins: ["rg", "ag"],
    env: [{ name: "TOKEN" }, { name: "X", optional: true }],
  };
  expect(requirementRows({ ...skill, manifest: { ...skill.manifest, gating } })).toEqual([
    { kind: "command", names: ["git"], met: true },
    { kind: "command", names: ["gh"], met: false, message: "missing commands: gh" },
    { kind: "any-command", names: ["rg", "ag"], met: false, message: "needs one of the commands: rg, ag" },
    { kind: "environment", names: ["TOKEN"], met: true },
  ]);
});

const HEADER =
  "---\nname: forms\ndescription: Forms.\ntoolsets:\n  - tools.yaml\n  - tools/index:Mine\n---\nFill.\n";
const TOOLS = `tools:
  - { name: fill, description: Fills., script: scripts/fill.sh }
  - { name: broken, description: Broken. }
`;

async function explained(config: string): Promise<readonly ToolsetRow[]> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "skillet-explain-")));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const files = {
    "skills/forms/SKILL.md": HEADER,
    "skills/forms/tools.yaml": TOOLS,
    "skills/forms/scripts/fill.sh": "#!/bin/sh\ncat\n",
    "home/.skillet/config.yaml": config,
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const skills: Skills = await openSkills({
    workspace: root,
    roots: [join(root, "skills")],
    home: join(root, "home/.skillet"),
    userHome: join(root, "home"),
    organisationDirectory: join(root, "organisation"),
    environment: { PATH: "/usr/bin:/bin" },
    bundledDirectory: false,
    cacheDirectory: false,
  });
  const [skill] = skills.snapshot.skills as [Skill];
  const rows = await toolsetRows(skills, skill, { skillsRoots: ["/my skills"] });
  return rows.map((row) => ({
    ...row,
    diagnostics: row.diagnostics.map((one) => ({ ...one, file: one.file.slice(root.length) })),
  }));
}

const toolOf = async (config: string): Promise<unknown> => (await explained(config))[0]?.tools[0];
const FILL = { name: "fill", script: "scripts/fill.sh" };

test("declared tools are shown with what is wrong, and what others understand as not supported", async () => {
  const rows = await explained("");
  const reason = "no profile lists forms:scripts/fill.sh under scripts";
  const once = "skillet run forms scripts/fill.sh --skills-root '/my skills' --allow forms:scripts/fill.sh";
  expect(rows).toEqual([
    {
      file: "tools.yaml",
      supported: true,
      tools: [{ ...FILL, allowed: false, reason, once }],
      diagnostics: [
        {
          code: "tool-field",
          severity: "error",
          message: "`tools.1` has no `script`, so the tool is left out.",
          file: "/skills/forms/tools.yaml",
          range: { line: 3, column: 5 },
          hint: "Add `script`.",
        },
      ],
    },
    {
      file: "tools/index:Mine",
      supported: false,
      tools: [],
      diagnostics: [expect.objectContaining({ code: "toolset-module", severity: "warning" })],
    },
  ]);
  expect(toolsetSection(rows, plainLayout()).join("\n")).toMatchInlineSnapshot(`
    "Declared tools
      tools.yaml
        ✗ fill: scripts/fill.sh
          not allowed: no profile lists forms:scripts/fill.sh under scripts
          for one run:
            skillet run forms scripts/fill.sh --skills-root '/my skills' --allow forms:scripts/fill.sh
      tools/index:Mine: not supported here"
  `);
});

test("a profile that lists the script allows it, in the sandbox or on the host", async () => {
  const config = `profiles:
  one: { scripts: ["forms:scripts/fill.sh"] }
  two: { hostScripts: ["forms:scripts/fill.sh"] }
  three: { scripts: ["forms:scripts/other.sh", "other:scripts/fill.sh"] }
`;
  const reason = "by the profile one; by the profile two, on the host without a sandbox";
  expect(await toolOf(config)).toEqual({ ...FILL, allowed: true, reason });
});

test("a rule that denies it wins over a profile, and so does plan mode", async () => {
  const profiles = 'profiles:\n  one: { scripts: ["forms:scripts/fill.sh"] }\n';
  const rules = (rule: string): string => `${profiles}policy:\n  rules:\n    - ${rule}\n`;
  for (const rule of [
    '{ tool: "run_skill_script(forms:scripts/fill.sh)", action: deny }',
    // By every name that means this skill, as sessions do.
    '{ tool: "run_skill_script(explicit:forms:*)", action: deny }',
    "{ skill: forms, tool: run_skill_script, action: deny }",
  ])
    expect(await toolOf(rules(rule))).toMatchObject({
      allowed: false,
      reason: expect.stringContaining("run_skill_script"),
    });
  expect(await toolOf(rules("{ skill: other, tool: run_skill_script, action: deny }"))).toMatchObject({
    allowed: true,
  });
  expect(await toolOf(`${profiles}policy:\n  mode: plan\n`)).toEqual({
    ...FILL,
    allowed: false,
    reason: "no script is run in plan mode",
  });
});

test("whatever a session would say is said here", async () => {
  const profiles = 'profiles:\n  one: { scripts: ["explicit:forms:scripts/fill.sh"] }\n';
  expect(await toolOf(profiles)).toEqual({ ...FILL, allowed: true, reason: "by the profile one" });
  const asking = `${profiles}policy:\n  rules:\n    - { tool: run_skill_script, action: ask }\n`;
  expect(await toolOf(asking)).toEqual({
    ...FILL,
    allowed: true,
    reason: "by the profile one; a person is asked first",
  });
});

test("of very many tools the first are shown, and the rest is counted", () => {
  const tools = Array.from({ length: 32 }, (_, index) => ({
    ...FILL,
    name: `t${index}`,
    allowed: true,
    reason: "by the profile one",
  }));
  const row = { file: "tools.yaml", supported: true, tools, diagnostics: [] };
  const lines = toolsetSection([row, { ...row, file: "more.yaml" }], plainLayout());
  expect(lines.slice(-4)).toEqual([
    "    ✓ t29: scripts/fill.sh",
    "      allowed: by the profile one",
    "  more.yaml",
    "  and 34 more: --json lists all",
  ]);
});
