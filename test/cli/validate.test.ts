import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { asOrdinaryUser } from "../hostile/place.ts";
import {
  createSandbox,
  type Document,
  HAS_TERMINAL,
  onTerminal,
  type Sandbox,
  skillText,
} from "./sandbox.ts";

const header = (lines: string, body = "\nBody.\n"): string => `---\n${lines}\n---\n${body}`;

/** Folder, SKILL.md, whether the specification allows it, and what the reference validator says first. */
const CASES: readonly (readonly [folder: string, text: string, valid: boolean, reference?: RegExp])[] = [
  ["minimal", header("name: minimal\ndescription: Works."), true],
  ["crlf", "---\r\nname: crlf\r\ndescription: Works.\r\n---\r\nBody.\r\n", true],
  ["empty-body", header("name: empty-body\ndescription: Works.", ""), true],
  ["comments", header("# one\nname: comments # two\ndescription: Works."), true],
  ["quoted", header('name: quoted\ndescription: "a: b"'), true],
  ["folded", header("name: folded\ndescription: >\n  one\n  two"), true],
  ["rule", header("name: rule\ndescription: Works.", "\none\n\n---\n\ntwo\n"), true],
  ["n".repeat(64), header(`name: ${"n".repeat(64)}\ndescription: Works.`), true],
  [
    "n".repeat(65),
    header(`name: ${"n".repeat(65)}\ndescription: Works.`),
    false,
    /exceeds 64 character limit \(65 chars\)$/,
  ],
  ["long", header(`name: long\ndescription: ${"💡".repeat(1024)}`), true],
  [
    "longer",
    header(`name: longer\ndescription: ${"d".repeat(1025)}`),
    false,
    /exceeds 1024 character limit \(1025 chars\)$/,
  ],
  ["fits", header(`name: fits\ndescription: Works.\ncompatibility: ${"c".repeat(500)}`), true],
  [
    "exceeds",
    header(`name: exceeds\ndescription: Works.\ncompatibility: ${"c".repeat(501)}`),
    false,
    /500 character limit/,
  ],
  [
    "list",
    header("name:\n  - a\n  - b\ndescription: Works."),
    false,
    /^Field 'name' must be a non-empty string$/,
  ],
  [
    "blank",
    header('name: blank\ndescription: "  "'),
    false,
    /^Field 'description' must be a non-empty string$/,
  ],
  ["my_skill", header("name: my_skill\ndescription: Works."), false, /contains invalid characters/],
  [
    "Case",
    header("name: case\ndescription: Works."),
    false,
    /^Directory name 'Case' must match skill name 'case'$/,
  ],
  ["Upper", header("name: Upper\ndescription: Works."), false, /must be lowercase$/],
  ["a--b", header("name: a--b\ndescription: Works."), false, /consecutive hyphens$/],
  ["-a", header("name: -a\ndescription: Works."), false, /start or end with a hyphen$/],
  ["no-name", header("description: Works."), false, /^Missing required field in frontmatter: name$/],
  [
    "no-description",
    header("name: no-description"),
    false,
    /^Missing required field in frontmatter: description$/,
  ],
  ["no-header", "# Title\n\nText.\n", false, /^SKILL.md must start with YAML frontmatter \(---\)$/],
  ["unclosed", "---\nname: unclosed\n", false, /not properly closed with ---$/],
];

function writeCases(): Sandbox {
  const sandbox = createSandbox();
  for (const [folder, text] of CASES) sandbox.write(`project/${folder}/SKILL.md`, text);
  return sandbox;
}

describe("validate", () => {
  test("agrees with the specification, case by case", async () => {
    const folders = CASES.map(([folder]) => `./${folder}`);
    const { exitCode, document } = await writeCases().json(["validate", ...folders]);
    expect(exitCode).toBe(1);
    expect(document.results.map(({ path, valid }: Document) => [path, valid])).toEqual(
      CASES.map(([folder, , valid]) => [folder, valid]),
    );
  });

  test("every error has a place and says what to do", async () => {
    const { document } = await writeCases().json(["validate"]);
    expect(document.results).toHaveLength(CASES.length);
    const errors = document.results.flatMap(({ diagnostics }: Document) =>
      diagnostics.filter(({ severity }: Document) => severity === "error"),
    );
    for (const error of errors) {
      expect(error).toEqual(
        expect.objectContaining({
          line: expect.any(Number),
          column: expect.any(Number),
          hint: expect.any(String),
        }),
      );
    }
  });

  test("a file, a skill's folder and a folder of skills all work", async () => {
    const sandbox = createSandbox();
    sandbox.write("project/skills/one/SKILL.md", skillText("one"));
    sandbox.write("project/skills/two/SKILL.md", skillText("two"));
    const paths = async (path: string): Promise<Document> =>
      (await sandbox.json(["validate", path])).document.results.map(({ path: found, valid }: Document) => [
        found,
        valid,
      ]);
    expect(await paths("skills/one/SKILL.md")).toEqual([["skills/one/SKILL.md", true]]);
    expect(await paths("skills/one/")).toEqual([["skills/one/", true]]);
    expect(await paths("skills")).toEqual([
      ["skills/one", true],
      ["skills/two", true],
    ]);
  });

  test("the working directory is checked when no path is given, under its real name", async () => {
    const sandbox = createSandbox();
    sandbox.write("project/skills/one/SKILL.md", skillText("one"));
    const run = await sandbox.skillet(["validate"], {
      workingDirectory: join(sandbox.project, "skills/one"),
    });
    expect(run).toEqual({ exitCode: 0, stdout: "✓ . is valid\n", stderr: "" });
  });

  test("the output is a compiler's: place, code, the line itself and a hint", async () => {
    const sandbox = createSandbox();
    sandbox.write("project/pdf/SKILL.md", header("name: pdf\ndescription: Use this: for forms"));
    const { exitCode, stdout } = await sandbox.skillet(["validate", "pdf"]);
    expect(exitCode).toBe(1);
    expect(stdout.split("\n").slice(0, 4)).toEqual([
      expect.stringMatching(/^pdf\/SKILL\.md:3:14: error unquoted-colon: \S/),
      "  3 | description: Use this: for forms",
      expect.stringMatching(/^ {4}\| {14}\^~*$/),
      expect.stringMatching(/^ {2}hint: \S/),
    ]);
    expect(stdout).toMatch(/^✗ pdf is invalid \(1 error\)$/m);
  });

  test("a key of a known dialect is fine and noted", async () => {
    const sandbox = createSandbox();
    sandbox.write(
      "project/pdf/SKILL.md",
      header("name: pdf\ndescription: Fills in PDF forms.\ndisable-model-invocation: true"),
    );
    const { exitCode, document } = await sandbox.json(["validate", "pdf"]);
    expect(exitCode).toBe(0);
    expect(document.results[0].diagnostics).toEqual([
      expect.objectContaining({ code: "not-portable", severity: "info", line: 4 }),
    ]);
    expect(await sandbox.skillet(["validate", "pdf", "--quiet"])).toEqual({
      exitCode: 0,
      stdout: "",
      stderr: "",
    });
  });

  test("a folder without any skill is invalid", async () => {
    const { exitCode, document } = await createSandbox().json(["validate", "."]);
    expect(exitCode).toBe(1);
    expect(document.results).toEqual([
      {
        path: ".",
        kind: "place",
        valid: false,
        diagnostics: [expect.objectContaining({ code: "no-skill", severity: "error" })],
      },
    ]);
  });
});

describe("the summary of validate", () => {
  const summary = async (sandbox: Sandbox, ...args: string[]): Promise<string> => {
    const { stdout } = await sandbox.skillet(["validate", ...args]);
    return stdout.slice(stdout.lastIndexOf("\n\n") + 1).trim();
  };

  test("counts skills, and folders that are left out apart from them", async () => {
    const sandbox = createSandbox();
    sandbox.write("project/skills/one/SKILL.md", skillText("one"));
    sandbox.write(
      "project/skills/two/SKILL.md",
      header("name: two\ndescription: Works and does it well.\nversion: 1"),
    );
    sandbox.write("project/skills/.gitignore", "hidden/\n");
    sandbox.write("project/skills/hidden/SKILL.md", "no skill at all");
    expect(await summary(sandbox, "skills")).toBe("✓ 2 skills, all valid (1 note)\n! 1 place left out");
    sandbox.write(
      "project/skills/three/SKILL.md",
      header("name: 3three\ndescription: Works and does it well."),
    );
    expect(await summary(sandbox, "skills")).toBe(
      "✗ 1 of 3 skills is invalid (1 error, 1 note)\n! 1 place left out",
    );
    expect(await summary(sandbox, "skills/one", "nowhere")).toBe(
      "✓ skills/one is valid\n✗ 1 place could not be checked",
    );
    expect(await summary(sandbox, "nowhere")).toBe("✗ Nothing was checked");
  });

  test("files that are mentioned and not there are told of, and links that Skillet made are not", async () => {
    const sandbox = createSandbox();
    sandbox.write("home/.claude/settings.json", "{}");
    sandbox.write("project/.claude/settings.json", "{}");
    await sandbox.skillet(["new", "notes"]);
    sandbox.write(
      "project/.agents/skills/notes/SKILL.md",
      `${skillText("notes")}Read [it](references/a.md).\n`,
    );
    for (const folder of [".claude/skills", ".agents/skills"]) {
      const { stdout } = await sandbox.skillet(["validate", folder]);
      expect(stdout).toContain("file-missing: references/a.md");
      expect(stdout).toMatch(/notes is valid \(1 warning\)\n$/);
      expect((await sandbox.skillet(["lint", folder])).stdout).not.toContain("link-outside-root");
    }
  });

  test("counts a file of another name once", async () => {
    const sandbox = createSandbox();
    sandbox.write("project/pdf/pdf.md", skillText("pdf"));
    expect(await summary(sandbox, "pdf/pdf.md")).toBe("✗ pdf/pdf.md is invalid (1 error)");
  });
});

describe("validate on commands of Claude", () => {
  function withCommands(): Sandbox {
    const sandbox = createSandbox();
    sandbox.write("project/.claude/commands/release.md", "Release version $1.\n");
    sandbox.write(
      "project/.claude/commands/git/tidy.md",
      header("description: Tidies up.\nallowed-tools: [Bash]"),
    );
    return sandbox;
  }
  const results = async (sandbox: Sandbox, path: string): Promise<Document> =>
    (await sandbox.json(["validate", path])).document.results.map(({ path: file, kind, valid }: Document) => [
      file,
      kind,
      valid,
    ]);
  const release = [".claude/commands/release.md", "command", true];
  const tidy = [".claude/commands/git/tidy.md", "command", true];

  test("a folder of them, one of them, and what holds them are checked by what commands need", async () => {
    const sandbox = withCommands();
    for (const path of [".claude/commands", ".claude", "."])
      expect(await results(sandbox, path)).toEqual([release, tidy]);
    expect(await results(sandbox, ".claude/commands/git")).toEqual([tidy]);
    expect(await results(sandbox, ".claude/commands/release.md")).toEqual([release]);
    sandbox.write("project/.claude/skills/pdf/SKILL.md", skillText("pdf"));
    expect((await sandbox.skillet(["validate", "."])).stdout).toMatch(/^✓ 3 skills and commands, all valid/m);
  });

  test("one that does not load is invalid, and --fix leaves commands alone", async () => {
    const sandbox = withCommands();
    const text = header("description: Use this: now");
    const file = sandbox.write("project/.claude/commands/colon.md", text);
    sandbox.write("project/.claude/commands/empty.md", "");
    const { exitCode, document } = await sandbox.json(["validate", ".claude/commands", "--fix"]);
    expect(exitCode).toBe(1);
    expect(document.results.map(({ path, valid }: Document) => [path, valid])).toEqual([
      [".claude/commands/colon.md", true],
      [".claude/commands/empty.md", false],
      [".claude/commands/release.md", true],
      [".claude/commands/git/tidy.md", true],
    ]);
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  test.each([".claude", "n".repeat(300)])("a .claude that is a link to %s is no commands", async (target) => {
    const sandbox = createSandbox();
    sandbox.write("project/pdf/SKILL.md", skillText("pdf"));
    symlinkSync(target, join(sandbox.project, ".claude"));
    const { exitCode, document } = await sandbox.json(["validate", "."]);
    expect(exitCode).toBe(0);
    expect(document.results).toEqual([
      {
        path: ".",
        kind: "place",
        valid: true,
        diagnostics: [expect.objectContaining({ code: "link-broken", file: ".claude" })],
      },
      { path: "pdf", kind: "skill", valid: true, diagnostics: [] },
    ]);
  });

  test("a folder that is a link out of what was named is not searched", async () => {
    const sandbox = createSandbox();
    sandbox.write("elsewhere/secret.md", "A text that nobody may see.");
    sandbox.write("project/.claude/skills/pdf/SKILL.md", skillText("pdf"));
    symlinkSync(join(sandbox.root, "elsewhere"), join(sandbox.project, ".claude/commands"));
    const { document } = await sandbox.json(["validate", "."]);
    expect(document.results).toEqual([
      {
        path: ".",
        kind: "place",
        valid: true,
        diagnostics: [expect.objectContaining({ code: "link-outside-root", file: ".claude/commands" })],
      },
      { path: ".claude/skills/pdf", kind: "skill", valid: true, diagnostics: [] },
    ]);
  });
});

describe("validate --ref-compat", () => {
  test("agrees with the reference validator, case by case", async () => {
    const { document } = await writeCases().json([
      "validate",
      "--ref-compat",
      ...CASES.map(([folder]) => `./${folder}`),
    ]);
    for (const [index, [folder, , , reference]] of CASES.entries()) {
      const { path, valid, diagnostics } = document.results[index];
      expect([folder, path, valid]).toEqual([folder, folder, reference === undefined]);
      if (reference !== undefined) expect(diagnostics[0].message).toMatch(reference);
    }
  });

  test("prints what the reference validator prints", async () => {
    const sandbox = writeCases();
    expect(await sandbox.skillet(["validate", "--ref-compat", "minimal"])).toEqual({
      exitCode: 0,
      stdout: "Valid skill: minimal\n",
      stderr: "",
    });
    expect(await sandbox.skillet(["validate", "--ref-compat", "./Upper/SKILL.md"])).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: "Validation failed for Upper:\n  - Skill name 'Upper' must be lowercase\n",
    });
    expect(await sandbox.skillet(["validate", "--ref-compat", "nowhere"])).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: "Error: Invalid value for 'SKILL_PATH': Path 'nowhere' does not exist.\n",
    });
    expect((await sandbox.skillet(["validate", "--ref-compat", "minimal", "."])).stderr).toBe(
      "Validation failed for .:\n  - Missing required file: SKILL.md\n",
    );
  });

  test("an unknown key is an error there and a note otherwise", async () => {
    const sandbox = createSandbox();
    sandbox.write("project/pdf/SKILL.md", header('name: pdf\ndescription: Works.\nversion: "1"\nauthor: me'));
    expect((await sandbox.skillet(["validate", "--ref-compat", "pdf"])).stderr).toBe(
      "Validation failed for pdf:\n  - Unexpected fields in frontmatter: author, version. Only ['allowed-tools', 'compatibility', 'description', 'license', 'metadata', 'name'] are allowed.\n",
    );
    expect((await sandbox.skillet(["validate", "pdf"])).exitCode).toBe(0);
  });
});

describe("validate --fix", () => {
  const BROKEN = header(
    "# keep me\nname: pdf\ndescription: Use this: for forms\nallowed-tools: [Read, Grep]",
  );

  test("repairs what cannot change the meaning, keeps the rest, and says what it did", async () => {
    const sandbox = createSandbox();
    const file = sandbox.write("project/pdf/SKILL.md", BROKEN);
    chmodSync(file, 0o640);
    const { exitCode, stdout } = await sandbox.skillet(["validate", "--fix", "pdf"]);
    expect(exitCode).toBe(0);
    expect(readFileSync(file, "utf8")).toBe(
      header("# keep me\nname: pdf\ndescription: 'Use this: for forms'\nallowed-tools: Read Grep"),
    );
    expect(stdout).toContain("  - description: Use this: for forms\n");
    expect(stdout).toContain("  + description: 'Use this: for forms'\n");
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(readdirSync(dirname(file))).toEqual(["SKILL.md"]);
    expect(await sandbox.skillet(["validate", "--fix", "pdf"])).toEqual({
      exitCode: 0,
      stdout: "✓ pdf is valid\n",
      stderr: "",
    });
  });

  test("a name that no client takes becomes the folder's; another good name than the folder's is left to its author", async () => {
    const sandbox = createSandbox();
    const put = (name: string): string =>
      sandbox.write(
        "project/skills/deploy-notes/SKILL.md",
        header(`name: ${name}\ndescription: Use when asked.`),
      );
    for (const name of ["Deploy_Notes", "deploy notes", "DeployNotes", "Notes of deploys!"]) {
      const file = put(name);
      const { exitCode, stdout } = await sandbox.skillet(["validate", "--fix", "skills"]);
      expect([exitCode, stdout]).toEqual([0, expect.stringContaining("+ name: deploy-notes\n")]);
      expect(readFileSync(file, "utf8")).toContain("\nname: deploy-notes\n");
    }
    const file = put("release-notes");
    const { exitCode, stdout } = await sandbox.skillet(["validate", "--fix", "skills"]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain("Rename the folder to release-notes, or set name: deploy-notes.");
    expect(readFileSync(file, "utf8")).toContain("\nname: release-notes\n");
  });

  test.skipIf(!HAS_TERMINAL)(
    "on a terminal it offers to rename a folder that its skill is not called",
    async () => {
      const sandbox = createSandbox();
      const place = (name: string) => join(sandbox.project, "skills", name);
      sandbox.write(
        "project/skills/Deploy_Notes/SKILL.md",
        header("name: deploy-notes\ndescription: Use when asked."),
      );
      const declined = await onTerminal(sandbox, ["validate", "--fix", "skills"], "\r");
      expect(declined.screen).toContain("name-directory-mismatch");
      expect(existsSync(place("Deploy_Notes"))).toBe(true);
      const piped = await sandbox.skillet(["validate", "--fix", "skills/Deploy_Notes"]);
      expect(piped).toMatchObject({ exitCode: 1, stderr: "" });
      const { screen } = await onTerminal(sandbox, ["validate", "--fix", "skills/Deploy_Notes"], "y\r");
      expect(screen).toContain("skills/deploy-notes is valid");
      expect([existsSync(place("Deploy_Notes")), existsSync(place("deploy-notes"))]).toEqual([false, true]);
      // Where that folder is taken, nothing is asked.
      sandbox.write(
        "project/skills/other/SKILL.md",
        header("name: deploy-notes\ndescription: Use when asked."),
      );
      expect((await onTerminal(sandbox, ["validate", "--fix", "skills"])).screen).not.toContain(
        "as its skill is called",
      );
    },
  );

  test("a dry run shows the same and writes nothing", async () => {
    const sandbox = createSandbox();
    const file = sandbox.write("project/pdf/SKILL.md", BROKEN);
    const { exitCode, stdout } = await sandbox.skillet(["validate", "--fix", "--dry-run", "pdf"]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain("pdf: would repair ");
    expect(stdout).toContain("  + description: 'Use this: for forms'\n");
    expect(readFileSync(file, "utf8")).toBe(BROKEN);
  });

  test("a word that is not a path here is a skill's name", async () => {
    const sandbox = createSandbox();
    sandbox.write("home/.claude/skills/tax/SKILL.md", header("name: tax\ndescription: Files a tax return."));
    const { exitCode, stdout } = await sandbox.skillet(["validate", "tax"]);
    expect({ exitCode, stdout }).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining("/tax is valid"),
    });
  });

  test("a dry run adds up what it lists", async () => {
    const sandbox = createSandbox();
    const lines = "name: other\ndescription: Use this: for forms\nversion: 1\nmetadata:\n  a:\n    b: c";
    sandbox.write("project/pdf/skill.md", header(lines));
    const { exitCode, stdout } = await sandbox.skillet(["validate", "--fix", "--dry-run", "pdf"]);
    expect(exitCode).toBe(1);
    const severities = [...stdout.matchAll(/^pdf\/skill\.md\S* (error|warning|info) /gm)].map(
      ([, word]) => word,
    );
    expect(severities.toSorted()).toEqual(["error", "error", "info", "warning"]);
    expect(stdout).toMatch(/\n✗ pdf would be invalid \(after the repairs: 2 errors, 1 warning, 1 note\)\n$/);
    sandbox.write("project/xls/SKILL.md", header("name: xls\ndescription: Use this: for sheets"));
    expect((await sandbox.skillet(["validate", "--fix", "--dry-run", "xls"])).stdout).toMatch(
      /\n✓ xls would be valid \(after the repairs: no faults\)\n$/,
    );
  });

  test("what is left after the repairs is still reported", async () => {
    const sandbox = createSandbox();
    sandbox.write("project/pdf/SKILL.md", header("name: other\ndescription: Use this: for forms"));
    const { exitCode, document } = await sandbox.json(["validate", "--fix", "pdf"]);
    expect(exitCode).toBe(1);
    const [{ diagnostics, fixed }] = document.results;
    expect(fixed.map(({ code }: Document) => code)).toContain("unquoted-colon");
    expect(diagnostics.map(({ code }: Document) => code)).toEqual(["name-directory-mismatch"]);
  });

  test("a linked SKILL.md is not written through, and says so", async () => {
    const sandbox = createSandbox();
    const target = sandbox.write("project/pdf/real.md", BROKEN);
    symlinkSync("real.md", join(sandbox.project, "pdf/SKILL.md"));
    for (const flags of [["--fix"], ["--fix", "--dry-run"]]) {
      const { exitCode, document } = await sandbox.json(["validate", ...flags, "pdf"]);
      expect(exitCode).toBe(1);
      const [{ diagnostics, fixed }] = document.results;
      expect(fixed).toEqual([]);
      expect(diagnostics.map(({ code }: Document) => code)).toEqual(["unquoted-colon", "link-refused"]);
    }
    expect(readFileSync(target, "utf8")).toBe(BROKEN);
    expect(lstatSync(join(sandbox.project, "pdf/SKILL.md")).isSymbolicLink()).toBe(true);
  });

  test("a link among the skills keeps none of the others from being repaired", async () => {
    const sandbox = createSandbox();
    const text = header("name: z\ndescription: Use this: now");
    const files = ["real", "z"].map((name) => sandbox.write(`project/skills/${name}/SKILL.md`, text));
    sandbox.write("project/skills/link/.keep", "");
    symlinkSync("../real/SKILL.md", join(sandbox.project, "skills/link/SKILL.md"));
    const { document } = await sandbox.json(["validate", "skills", "--fix"]);
    for (const file of files) expect(readFileSync(file, "utf8")).toContain("'Use this: now'");
    const faults = document.results.map(({ path, diagnostics }: Document) => [
      path,
      diagnostics.map(({ code }: Document) => code),
    ]);
    // The link is judged by what it leads to after that was repaired.
    expect(faults.toSorted()).toEqual([
      ["skills/link", ["name-directory-mismatch"]],
      ["skills/real", ["name-directory-mismatch"]],
      ["skills/z", []],
    ]);
  });

  test("a file that cannot be written is reported, and the others are repaired", async () => {
    const sandbox = createSandbox();
    const text = (name: string): string => header(`name: ${name}\ndescription: Use this: now`);
    const other = sandbox.write("project/skills/b/SKILL.md", text("b"));
    const blocked = sandbox.write("project/skills/a/SKILL.md", text("a"));
    const { document } = await asOrdinaryUser(sandbox.root, () => {
      chmodSync(dirname(blocked), 0o555);
      return sandbox.json(["validate", "skills", "--fix"]);
    });
    chmodSync(dirname(blocked), 0o755);
    const codes = document.results.map(({ path, diagnostics }: Document) => [
      path,
      diagnostics.map(({ code }: Document) => code),
    ]);
    expect(codes).toEqual([
      ["skills/a", ["unquoted-colon", "file-unwritable"]],
      ["skills/b", []],
    ]);
    expect(readFileSync(blocked, "utf8")).toBe(text("a"));
    expect(readFileSync(other, "utf8")).toContain("'Use this: now'");
  });

  test.each([[["--dry-run"]], [["--fix", "--ref-compat"]]])("%s alone makes no sense", async (flags) => {
    expect((await createSandbox().skillet(["validate", ...flags])).exitCode).toBe(2);
  });
});

describe("a file with several faults", () => {
  const BAD = `---
name: Deploy_Notes
description: Writes: notes about what was deployed.
---
Read [the guide](references/guide.md), then run \`scripts/nothing.py\` and https://example.com/scripts/other.py.
`;

  test("shows all of them at once, and says that some can be repaired", async () => {
    const sandbox = createSandbox();
    sandbox.write("project/skills/Deploy_Notes/SKILL.md", BAD);
    const { exitCode, document } = await sandbox.json(["validate", "skills"]);
    const codes = document.results[0].diagnostics.map(({ code }: Document) => code);
    expect([exitCode, new Set(codes)]).toEqual([
      1,
      new Set(["unquoted-colon", "name-characters", "name-not-lowercase", ...codes]),
    ]);
    const { stdout } = await sandbox.skillet(["validate", "skills"]);
    expect(stdout).toContain("Some of this can be repaired: add --fix");
  });

  test("has the spelling of its name repaired when that is asked for, and nothing that may be meant", async () => {
    const sandbox = createSandbox();
    const file = sandbox.write("project/skills/deploy-notes/SKILL.md", BAD);
    const other = sandbox.write("project/skills/other/SKILL.md", skillText("another"));
    await sandbox.skillet(["validate", "skills", "--fix"]);
    expect(readFileSync(file, "utf8")).toContain("name: deploy-notes\n");
    expect(readFileSync(other, "utf8")).toContain("name: another\n");
  });

  test("is not a link that Skillet made: what it leads to is checked", async () => {
    const sandbox = createSandbox();
    sandbox.write("home/.skillet/plugins/pdf/SKILL.md", skillText("pdf"));
    mkdirSync(join(sandbox.home, ".claude/skills"), { recursive: true });
    symlinkSync(join(sandbox.home, ".skillet/plugins/pdf"), join(sandbox.home, ".claude/skills/pdf"));
    const { exitCode, document } = await sandbox.json(["validate", join(sandbox.home, ".claude/skills")]);
    expect([exitCode, document.results]).toMatchObject([
      0,
      [{ kind: "skill", valid: true, diagnostics: [] }],
    ]);
  });
});
