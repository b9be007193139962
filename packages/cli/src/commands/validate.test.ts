import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { LocalSource } from "@skillet/core";
import { expect, onTestFinished, test } from "vitest";
import { plainLayout } from "../testing/plain-layout.ts";
import { type ValidationResult, validationReport } from "../validate/validation-report.ts";
import { checkPaths, fixSkillFile } from "./validate.ts";

const REPAIRABLE = "---\nname: pdf\ndescription: Use this: now\n---\nBody.\n";

/** Someone else who does something right after the file was read for the second time, before it is written. */
class DisturbedSource extends LocalSource {
  #reads = 0;
  readonly #disturb: () => void;

  constructor(root: string, disturb: () => void) {
    super(root);
    this.#disturb = disturb;
  }

  override async read(...args: Parameters<LocalSource["read"]>): ReturnType<LocalSource["read"]> {
    this.#reads += 1;
    if (this.#reads === 2) this.#disturb();
    return super.read(...args);
  }
}

function createSkill(): { file: string; fix(source: LocalSource): Promise<ValidationResult>; root: string } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "skillet-fix-")));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, "pdf"));
  const file = join(root, "pdf/SKILL.md");
  writeFileSync(file, REPAIRABLE);
  const skill = { kind: "skill", path: "pdf", file: "pdf/SKILL.md", directoryName: "pdf" } as const;
  return {
    root,
    file,
    fix: (source) =>
      fixSkillFile({ ...skill, source, folder: "pdf", fileName: "SKILL.md", isLink: false }, { write: true }),
  };
}

const codesOf = ({ diagnostics }: ValidationResult): string[] => diagnostics.map(({ code }) => code);

test("a file is repaired where nothing disturbs", async () => {
  const { root, file, fix } = createSkill();
  expect(codesOf(await fix(new LocalSource(root)))).toEqual([]);
  expect(readFileSync(file, "utf8")).toBe(REPAIRABLE.replace("Use this: now", "'Use this: now'"));
});

test("a file that someone saves meanwhile keeps what they wrote", async () => {
  const { root, file, fix } = createSkill();
  const source = new DisturbedSource(root, () => writeFileSync(file, `${REPAIRABLE}More.\n`));
  expect(codesOf(await fix(source))).toEqual(["unquoted-colon", "file-changed"]);
  expect(readFileSync(file, "utf8")).toBe(`${REPAIRABLE}More.\n`);
});

test("a link that is put in the file's place is not written through", async () => {
  const { root, file, fix } = createSkill();
  const target = join(root, "target.md");
  writeFileSync(target, REPAIRABLE);
  const source = new DisturbedSource(root, () => {
    rmSync(file);
    symlinkSync(target, file);
  });
  expect(codesOf(await fix(source))).toEqual(["unquoted-colon", "link-refused"]);
  expect(readFileSync(target, "utf8")).toBe(REPAIRABLE);
});

const skill = (toolsets: string): string =>
  `---\nname: forms\ndescription: Fills in forms.\ntoolsets:\n${toolsets}---\n\nFill.\n`;

async function check(
  files: Readonly<Record<string, string | { readonly link: string }>>,
  options: { readonly fix?: "write" | "dry-run" } = {},
): Promise<readonly ValidationResult[]> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "skillet-toolsets-")));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    if (typeof text === "string") writeFileSync(join(root, path), text);
    else symlinkSync(text.link, join(root, path));
  }
  return checkPaths(["."], { ...options, workingDirectory: root });
}

test("a toolset that is whole is no fault but not portable, and one of a module is told with the way out", async () => {
  const results = await check({
    "forms/SKILL.md": skill("  - tools/fill.yaml\n  - tools/index:Mine\n"),
    "forms/tools/fill.yaml": "tools:\n  - { name: fill, description: Fills., script: scripts/fill.sh }\n",
    "forms/scripts/fill.sh": "#!/bin/sh\n",
  });
  expect(results.map(({ diagnostics }) => diagnostics.map(({ code }) => code))).toEqual([
    ["not-portable", "toolset-module"],
  ]);
});

test("faults of a toolset are reported at their place in that file, without a line of SKILL.md", async () => {
  const results = await check({
    "forms/SKILL.md": skill("  - tools/fill.yaml\n  - none.json\n"),
    "forms/tools/fill.yaml": "tools:\n  - { name: fill, description: Fills., script: scripts/fill.sh }\n",
  });
  const layout = { ...plainLayout(), lineWidth: 200, quiet: true };
  expect(validationReport(results, layout).join("\n")).toBe(
    [
      'forms/tools/fill.yaml:2:13: error tool-script-missing: The tool fill is left out: the skill has no script "scripts/fill.sh".',
      "  hint: Correct the path, or add the script.",
      "",
      "forms/none.json: error toolset-missing: The header names this toolset, but the skill has no such file.",
      "  hint: Correct the header's toolsets, or add the file.",
    ].join("\n"),
  );
});

test("a toolset or a script that is a link is a fault, as it is for a session, also in a folder of skills", async () => {
  const files = {
    "SKILL.md": skill("  - fill.yaml\n  - link.yaml\n"),
    "fill.yaml": "tools:\n  - { name: fill, description: Fills., script: scripts/link.sh }\n",
    "link.yaml": { link: "fill.yaml" },
    "scripts/fill.sh": "#!/bin/sh\n",
    "scripts/link.sh": { link: "fill.sh" },
  };
  for (const folder of ["forms", "forms/group/forms"]) {
    const results = await check(
      Object.fromEntries(Object.entries(files).map(([path, content]) => [`${folder}/${path}`, content])),
    );
    expect(
      results.flatMap(({ diagnostics }) =>
        diagnostics
          .filter(({ severity }) => severity === "error")
          .map(({ code, file, message }) => [code, file, message]),
      ),
    ).toEqual([
      [
        "tool-script-missing",
        `${folder}/fill.yaml`,
        'The tool fill is left out: "scripts/link.sh" is a link, and links are not run.',
      ],
      ["toolset-unreadable", `${folder}/link.yaml`, "The file is a link, and links are not followed."],
    ]);
  }
});

test("all faults of a name beside one of YAML are told at once, and only what was mended is called repaired", async () => {
  const files = {
    "Deploy_Notes/SKILL.md": "---\nname: Deploy Notes\ndescription: Helps: notes\n---\nBody.\n",
  };
  const [told] = await check(files);
  expect(told?.diagnostics.map(({ code }) => code)).toEqual([
    ...["unquoted-colon", "name-characters", "name-directory-mismatch", "name-not-lowercase"],
  ]);
  expect(told?.diagnostics.map(({ message }) => message)).toContain(
    'The name is "Deploy Notes", but the folder is called "Deploy_Notes".',
  );
  const [fixed] = await check(files, { fix: "write" });
  expect(fixed?.repairs?.applied.map(({ code }) => code)).toEqual(["name-characters", "unquoted-colon"]);
  expect(fixed?.diagnostics.map(({ code }) => code)).toEqual(["name-directory-mismatch"]);
});

test("what a repair mends was told before, and a dry run tells what the repair leaves", async () => {
  const header = "name: x\ndescription: Does x: all.\nallowed-tools:\n  - Bash\nlicense: 5\n";
  const files = { "x/SKILL.md": `---\n${header}---\nSee [a](references/a.md)\n` };
  const [told] = await check(files);
  const codes = (some: readonly { readonly code: string }[] = []) => some.map(({ code }) => code);
  expect(codes(told?.diagnostics).sort()).toEqual([
    ...["allowed-tools-list", "file-missing", "not-text", "unquoted-colon"],
  ]);
  const [foretold] = await check(files, { fix: "dry-run" });
  const [fixed] = await check(files, { fix: "write" });
  expect(codes(foretold?.repairs?.remaining)).toEqual(["file-missing"]);
  expect(codes(fixed?.diagnostics)).toEqual(["file-missing"]);
});

test("a fault that one of YAML hides is told at its line in the file as it is", async () => {
  const header =
    'name: x\ndescription: Does x: all.\nallowed-tools:\n  - Read\n  - Grep\nuser-invocable: "false"\n';
  const [told] = await check({ "x/SKILL.md": `---\n${header}---\nBody.\n` });
  const places = told?.diagnostics.map(({ code, range }) => `${code} ${range?.line}:${range?.column}`);
  expect(places).toContain("not-portable 7:1");
});

test("a folder gets its skill's name after a yes, unless a lock names it, and a rename that fails is told", async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "skillet-rename-")));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const name of ["One", "Two", "Three"]) {
    mkdirSync(join(root, name));
    const text = `---\nname: ${name.toLowerCase()}\ndescription: Says hello. Use when greeting.\n---\nHello.\n`;
    writeFileSync(join(root, name, "SKILL.md"), text);
  }
  const results = await checkPaths(["."], {
    workingDirectory: root,
    fix: "write",
    lockedFolders: async () => [join(root, "Two")],
    confirm: async (question) => {
      // Someone else makes the folder while the question is open.
      if (question.includes("Three")) mkdirSync(join(root, "three/x"), { recursive: true });
      return true;
    },
  });
  expect(readdirSync(root).sort()).toEqual(["Three", "Two", "one", "three"]);
  const codes = results.map(({ path, diagnostics }) => [path, ...diagnostics.map(({ code }) => code)]);
  expect(codes.toSorted()).toEqual([
    ["Three", "name-directory-mismatch", "folder-not-renamed"],
    ["Two", "name-directory-mismatch"],
    ["one"],
  ]);
});
