import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { CommandContext } from "../context/command-context.ts";
import { createTerminal } from "../ui/terminal.ts";
import { findTargets } from "./find-targets.ts";
import { readTarget } from "./scan-targets.ts";

const BOUNDS = { maxFileBytes: 1_000, maxTotalBytes: 10_000 };
const SKILL = "---\nname: pdf\ndescription: Reads forms.\n---\n\nRead it.\n";

function workspace(files: Readonly<Record<string, string | Uint8Array>>): CommandContext {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "skillet-scan-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  const stream = { write: () => true };
  const environment = { HOME: join(root, "home") };
  return {
    json: false,
    argv: [],
    debug: false,
    version: "0.0.0",
    skillsRoots: [],
    workspace: root,
    environment,
    terminal: createTerminal({ stdout: stream, stderr: stream, environment }),
  };
}

async function read(context: CommandContext, ...words: readonly string[]) {
  const { files: targets, diagnostics } = await findTargets(context, { words, all: false });
  const read = await Promise.all(targets.map((target) => readTarget(target, BOUNDS)));
  return {
    codes: diagnostics.map(({ code }) => code),
    skills: read.map(({ name, content: { files } }, index) => ({
      path: targets[index]?.path,
      name,
      files: files.map(({ path, unread }) => (unread === undefined ? path : `${path}: unread`)).sort(),
    })),
  };
}

describe("what a word of the command line means", () => {
  test.each(["skills/pdf", "skills/pdf/SKILL.md", "./skills/pdf/"])(
    "%s is the skill with all its files",
    async (word) => {
      const context = workspace({
        "skills/pdf/SKILL.md": SKILL,
        "skills/pdf/scripts/a.sh": "echo",
        "other.sh": "",
      });
      const { skills, codes } = await read(context, word);
      expect({ skills: skills.map(({ name, files }) => ({ name, files })), codes }).toEqual({
        skills: [{ name: "pdf", files: ["SKILL.md", "scripts/a.sh"] }],
        codes: [],
      });
    },
  );

  test("a name is every skill of that name: an agent may load the one that is shadowed here", async () => {
    const context = workspace({
      "home/.agents/skills/pdf/SKILL.md": SKILL,
      "home/.claude/skills/pdf/SKILL.md": `${SKILL}And print it.\n`,
    });
    const { skills, codes } = await read(context, "pdf");
    expect({ names: skills.map(({ name }) => name), codes }).toEqual({ names: ["pdf", "pdf"], codes: [] });
  });

  test("a folder of skills is each of them, and a skill in a skill is part of both", async () => {
    const context = workspace({
      "skills/pdf/SKILL.md": SKILL,
      "skills/pdf/inner/SKILL.md": SKILL,
      "skills/pdf/inner/run.sh": "echo",
      "skills/odd/SKILL.md": "no header at all",
    });
    expect(await read(context, "skills")).toEqual({
      codes: [],
      skills: [
        { path: "skills/odd", name: "odd", files: ["SKILL.md"] },
        { path: "skills/pdf", name: "pdf", files: ["SKILL.md", "inner/SKILL.md", "inner/run.sh"] },
        { path: "skills/pdf/inner", name: "pdf", files: ["SKILL.md", "run.sh"] },
      ],
    });
  });

  test("a file that is no SKILL.md is itself alone", async () => {
    const context = workspace({ "a/run.sh": "echo", "a/SKILL.md": SKILL });
    expect(await read(context, "a/run.sh")).toEqual({
      codes: [],
      skills: [{ path: "a/run.sh", name: "run.sh", files: ["run.sh"] }],
    });
  });

  test("the same skill named twice is scanned once", async () => {
    const context = workspace({ "skills/pdf/SKILL.md": SKILL });
    expect((await read(context, "skills", "skills/pdf", "skills/pdf/SKILL.md")).skills).toHaveLength(1);
  });

  test("a path that is not there, and a folder without a skill, are told", async () => {
    const context = workspace({ "empty/notes.txt": "" });
    expect(await read(context, "./gone", "empty")).toEqual({
      codes: ["path-not-found", "no-skill"],
      skills: [],
    });
  });

  test("a word that is no path is the name of a skill, and an unknown one keeps no other from being scanned", async () => {
    const context = workspace({ "home/.skillet/skills/mine/SKILL.md": SKILL.replace("pdf", "mine") });
    expect(await read(context, "mine")).toMatchObject({ codes: [], skills: [{ name: "mine" }] });
    expect(await read(context, "mime", "mine")).toMatchObject({
      codes: ["skill-unknown"],
      skills: [{ name: "mine" }],
    });
  });

  test("an unknown name says where it was looked up, and which folder may have been meant", async () => {
    const context = workspace({
      "home/.skillet/skills/mine/SKILL.md": SKILL.replace("pdf", "mine"),
      "skills/pdf/SKILL.md": SKILL,
    });
    const { diagnostics } = await findTargets(context, { words: ["pdf", "nobody"], all: false });
    expect(diagnostics).toMatchObject([
      { severity: "error", file: "pdf", hint: "For the folder skills/pdf: skillet scan skills/pdf" },
      { severity: "error", file: "nobody", hint: "See what there is: skillet show" },
    ]);
    expect(diagnostics[0]?.message).toMatch(/^There is no skill 'pdf'\. .* in .*~\/\.skillet\/skills/);
  });
});

const ORDINARY_USER = 65_534;

describe("a file that cannot be read whole", () => {
  test("is handed over with the reason: too long, or a link that leads out", async () => {
    const context = workspace({
      "pdf/SKILL.md": SKILL,
      "pdf/long.txt": "x".repeat(2_000),
      "secret.md": SKILL,
    });
    mkdirSync(join(context.workspace, "linked"));
    symlinkSync("../secret.md", join(context.workspace, "linked/SKILL.md"));
    symlinkSync("../../secret.md", join(context.workspace, "pdf/link.md"));
    expect((await read(context, "pdf")).skills).toEqual([
      { path: "pdf", name: "pdf", files: ["SKILL.md", "link.md", "long.txt: unread"] },
    ]);
  });

  test("is handed over where permission is missing", async () => {
    const context = workspace({ "pdf/SKILL.md": SKILL, "pdf/closed.sh": "echo" });
    chmodSync(context.workspace, 0o755);
    chmodSync(join(context.workspace, "pdf/closed.sh"), 0);
    // Nothing is closed to root.
    const isRoot = process.getuid?.() === 0;
    if (isRoot) process.seteuid?.(ORDINARY_USER);
    try {
      expect((await read(context, "pdf")).skills[0]?.files).toEqual(["SKILL.md", "closed.sh: unread"]);
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });
});
