import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import { skillText, writeTree } from "../../testing/write-tree.ts";
import { LocalSource } from "./local-source.ts";

let root: string;
beforeEach(() => {
  root = join(temporaryDirectory(), "skills");
});

const pathsOf = async (source: LocalSource): Promise<string[]> =>
  (await source.listSkills()).folders.map(({ path }) => path);
const codesOf = async (source: LocalSource): Promise<string[]> =>
  (await source.listSkills()).diagnostics.map(({ code }) => code);

test("skills are found at every level, nested ones included, depth first and sorted", async () => {
  writeTree(root, {
    "b/SKILL.md": skillText("b"),
    "a/SKILL.md": skillText("a"),
    "a/inner/deep/SKILL.md": skillText("deep"),
    "group/c/SKILL.md": skillText("c"),
    "empty/readme.txt": "",
  });
  expect(await pathsOf(new LocalSource(root))).toEqual(["a", "a/inner/deep", "b", "group/c"]);
});

test("a root that is a skill itself is one", async () => {
  writeTree(root, { "SKILL.md": skillText("skills"), "sub/SKILL.md": skillText("sub") });
  expect(await pathsOf(new LocalSource(root))).toEqual(["", "sub"]);
});

test("version control and packages are not searched", async () => {
  writeTree(root, {
    ".git/x/SKILL.md": skillText("x"),
    "node_modules/y/SKILL.md": skillText("y"),
    ".hidden/z/SKILL.md": skillText("z"),
  });
  expect(await pathsOf(new LocalSource(root))).toEqual([".hidden/z"]);
});

test("the lower-case spelling is a skill, any other spelling is an error with a line and a hint", async () => {
  writeTree(root, { "a/skill.md": skillText("a"), "b/Skill.md": skillText("b") });
  const { folders, diagnostics } = await new LocalSource(root).listSkills();
  expect(folders.map(({ file }) => file)).toEqual(["skill.md"]);
  expect(diagnostics).toEqual([
    {
      code: "misspelled-skill-file",
      severity: "error",
      message: "The file is called Skill.md; skills are read from SKILL.md.",
      file: join(root, "b/Skill.md"),
      range: { line: 1, column: 1 },
      hint: "Rename it to SKILL.md.",
    },
  ]);
});

test("folders deeper than the limit are reported and not searched", async () => {
  writeTree(root, { "1/2/3/4/5/6/SKILL.md": skillText("six"), "1/2/3/4/5/6/7/SKILL.md": skillText("seven") });
  const { folders, diagnostics } = await new LocalSource(root).listSkills();
  expect(folders.map(({ path }) => path)).toEqual(["1/2/3/4/5/6"]);
  expect(diagnostics.map(({ code }) => code)).toEqual(["depth-limit"]);
});

test("reaching the limit of folders or entries is a diagnostic, and the walk ends", async () => {
  for (let index = 0; index < 30; index++)
    writeTree(root, { [`s${index}/SKILL.md`]: skillText(`s${index}`) });
  const folders = new LocalSource(root, { limits: { directories: 10 } });
  expect((await pathsOf(folders)).length).toBe(9);
  expect(await codesOf(folders)).toEqual(["directory-limit"]);
  expect(await codesOf(new LocalSource(root, { limits: { entries: 20 } }))).toEqual(["entry-limit"]);
});

test("rules of .gitignore and .skilletignore hide folders below them, with a word about each", async () => {
  writeTree(root, {
    ".gitignore": "build/\nvendor/*\n!vendor/kept\n",
    "build/a/SKILL.md": skillText("a"),
    "vendor/kept/SKILL.md": skillText("kept"),
    "vendor/other/SKILL.md": skillText("other"),
    "group/.skilletignore": "drafts\n",
    "group/drafts/SKILL.md": skillText("drafts"),
    "group/fine/SKILL.md": skillText("fine"),
  });
  const { folders, diagnostics } = await new LocalSource(root).listSkills();
  expect(folders.map(({ path }) => path)).toEqual(["group/fine", "vendor/kept"]);
  expect(diagnostics.map(({ code, file }) => [code, file.slice(root.length + 1)])).toEqual([
    ["ignored", "build"],
    ["ignored", "group/drafts"],
    ["ignored", "vendor/other"],
  ]);
});

test("a root that a repository ignores is still searched", async () => {
  const project = join(root, "project");
  writeTree(project, { ".gitignore": ".agents/\n", ".agents/skills/a/SKILL.md": skillText("a") });
  expect(await pathsOf(new LocalSource(join(project, ".agents/skills")))).toEqual(["a"]);
});

test("a link inside the root is followed once, and loops end", async () => {
  writeTree(root, {
    "real/a/SKILL.md": skillText("a"),
    alias: { link: "real" },
    "real/loop": { link: ".." },
    "real/a/self": { link: "." },
  });
  const { folders, diagnostics } = await new LocalSource(root).listSkills();
  expect(folders.map(({ path, canonicalFile }) => [path, canonicalFile])).toEqual([
    ["real/a", join(root, "real/a/SKILL.md")],
    ["alias/a", join(root, "real/a/SKILL.md")],
  ]);
  expect(diagnostics).toEqual([]);
});

test("links that leave the root are reported, never followed or read", async () => {
  const outside = join(root, "../outside");
  writeTree(outside, { "secret/SKILL.md": skillText("secret") });
  writeTree(root, {
    a: { link: join(outside, "secret") },
    "b/SKILL.md": { link: join(outside, "secret/SKILL.md") },
    c: { link: "nowhere" },
  });
  const source = new LocalSource(root);
  const { folders, diagnostics } = await source.listSkills();
  expect(folders).toEqual([]);
  expect(diagnostics.map(({ code, file }) => [code, file.slice(root.length + 1)])).toEqual([
    ["link-outside-root", "a"],
    ["link-outside-root", "b/SKILL.md"],
    ["link-broken", "c"],
  ]);
  await expect(source.read("b/SKILL.md", { maxBytes: 10 })).rejects.toMatchObject({
    code: "path-outside-root",
  });
  await expect(source.read("a/SKILL.md", { maxBytes: 10 })).rejects.toMatchObject({
    code: "path-outside-root",
  });
});

test("links into another allowed root are followed, for folders and for SKILL.md itself", async () => {
  const other = join(root, "../other");
  writeTree(other, { "a/SKILL.md": skillText("a"), "b/SKILL.md": skillText("b") });
  writeTree(root, { a: { link: join(other, "a") }, "b/SKILL.md": { link: join(other, "b/SKILL.md") } });
  const source = new LocalSource(root, { allowedRoots: [other] });
  const { folders, diagnostics } = await source.listSkills();
  expect(folders.map(({ path, canonicalFile }) => [path, canonicalFile])).toEqual([
    ["b", join(other, "b/SKILL.md")],
    ["a", join(other, "a/SKILL.md")],
  ]);
  expect(diagnostics).toEqual([]);
  const { bytes } = await source.read("b/SKILL.md", { maxBytes: 1000 });
  expect(Buffer.from(bytes).toString()).toBe(skillText("b"));
});

test("links that lead nowhere, for whatever reason, are reported, and reading through them finds nothing", async () => {
  const targets = { circle: "circle", long: "x".repeat(300), file: "/dev/null/below", gone: "nowhere" };
  for (const [name, link] of Object.entries(targets)) writeTree(root, { [name]: { link } });
  const source = new LocalSource(root);
  expect(await codesOf(source)).toEqual(Object.keys(targets).map(() => "link-broken"));
  for (const name of Object.keys(targets)) {
    await expect(source.read(name, { maxBytes: 10 })).rejects.toMatchObject({ code: "file-not-found" });
    await expect(source.listFiles(name)).rejects.toMatchObject({ code: "file-not-found" });
  }
});

test.runIf(process.platform === "linux")(
  "a folder or link whose name is not UTF-8 is reported, not passed over",
  async () => {
    writeTree(root, { "a/SKILL.md": skillText("a"), "odd\ufffd/SKILL.md": skillText("odd") });
    for (const make of [mkdirSync, (path: Buffer) => symlinkSync("a", path)])
      make(
        Buffer.concat([Buffer.from(join(root, make === mkdirSync ? "odd" : "link")), Buffer.from([0xff])]),
      );
    const { folders, diagnostics } = await new LocalSource(root).listSkills();
    expect(folders.map(({ path }) => path)).toContain("odd\ufffd");
    expect(diagnostics.filter(({ code }) => code === "name-not-utf8")).toEqual(
      ["link\ufffd", "odd\ufffd"].map((name) => ({
        code: "name-not-utf8",
        severity: "warning",
        message: "Its name is not UTF-8, so it cannot be opened, and skills in it are not known.",
        file: join(root, name),
        hint: "Give it another name.",
      })),
    );
  },
);

test("a name that begins with two dots is an ordinary name", async () => {
  writeTree(root, { "..data/SKILL.md": skillText("data") });
  const source = new LocalSource(root);
  expect(await pathsOf(source)).toEqual(["..data"]);
  expect((await source.read("..data/SKILL.md", { maxBytes: 3 })).truncated).toBe(true);
});

test("a FIFO or device in place of SKILL.md is reported and never opened", async () => {
  mkdirSync(join(root, "fifo"), { recursive: true });
  mkdirSync(join(root, "linked"), { recursive: true });
  execFileSync("mkfifo", [join(root, "fifo/SKILL.md")]);
  symlinkSync(join(root, "fifo/SKILL.md"), join(root, "linked/SKILL.md"));
  const source = new LocalSource(root);
  expect(await codesOf(source)).toEqual(["not-a-file", "not-a-file"]);
  await expect(source.read("fifo/SKILL.md", { maxBytes: 10 })).rejects.toMatchObject({ code: "not-a-file" });
});

test("paths that are absolute, climb or hold odd characters are refused before the disk is touched", async () => {
  writeTree(root, { "a/SKILL.md": skillText("a") });
  const source = new LocalSource(root);
  for (const path of [
    "",
    "/etc/passwd",
    "../x",
    "a/../../x",
    "a//b",
    "./a",
    "a\\b",
    "a\0b",
    "C:/x",
    "a/.",
    "x".repeat(5000),
  ])
    await expect(source.read(path, { maxBytes: 10 })).rejects.toMatchObject({ code: "path-invalid" });
});

test("an unreadable folder is a diagnostic, and its siblings load, whatever it holds", async () => {
  writeTree(root, {
    "a/SKILL.md": skillText("a"),
    "closed/b/SKILL.md": skillText("b"),
    "leaf/SKILL.md": skillText("leaf"),
  });
  chmodSync(join(root, ".."), 0o755);
  for (const mode of [0o000, 0o444]) {
    for (const name of ["closed", "leaf"]) chmodSync(join(root, name), mode);
    try {
      const { folders, diagnostics } = await listAsOrdinaryUser(root);
      expect(folders.filter((folder) => folder !== "leaf")).toEqual(["a"]);
      expect(new Set(diagnostics)).toEqual(new Set(["unreadable-folder"]));
    } finally {
      for (const name of ["closed", "leaf"]) chmodSync(join(root, name), 0o755);
    }
  }
});

test("files of a skill are listed without nested skills and .git, links as links", async () => {
  writeTree(root, {
    "a/SKILL.md": skillText("a"),
    "a/scripts/run.sh": { text: "#!/bin/sh\n", mode: 0o755 },
    "a/references/x.md": "x",
    "a/.git/config": "",
    "a/inner/SKILL.md": skillText("inner"),
    "a/inner/data.txt": "",
    "a/out": { link: "/etc/passwd" },
  });
  expect(await new LocalSource(root).listFiles("a")).toEqual({
    files: [
      { path: "SKILL.md", kind: "file", size: skillText("a").length, executable: false },
      { path: "out", kind: "link", size: 11, executable: false, target: "/etc/passwd" },
      { path: "references/x.md", kind: "file", size: 1, executable: false },
      { path: "scripts/run.sh", kind: "file", size: 10, executable: true },
    ],
    nested: ["inner/SKILL.md"],
    repositories: [".git"],
    diagnostics: [],
  });
});

test("of a whole folder, nested skills are listed too, and of a repository what git would not keep there", async () => {
  writeTree(root, {
    "a/SKILL.md": skillText("a"),
    "a/.git/HEAD": "",
    "a/.git/config": "",
    "a/.git/hooks/pre-commit": "",
    "a/.git/hooks/pre-push.sample": "",
    "a/.git/objects/ab/cdef": "",
    "a/.git/objects.sh": "",
    "a/.git/run.sh": "",
    "a/inner/SKILL.md": skillText("inner"),
    "a/inner/data.txt": "",
  });
  const { files, nested, repositories } = await new LocalSource(root).listFiles("a", { extent: "folder" });
  expect({ paths: files.map(({ path }) => path), nested, repositories }).toEqual({
    paths: [
      ".git/config",
      ".git/hooks/pre-commit",
      ".git/objects.sh",
      ".git/run.sh",
      "SKILL.md",
      "inner/SKILL.md",
      "inner/data.txt",
    ],
    nested: [],
    repositories: [".git"],
  });
});

test("a folder that vanishes or becomes a file during the walk does no harm", async () => {
  writeTree(root, { "a/SKILL.md": skillText("a"), "b/SKILL.md": skillText("b") });
  const source = new LocalSource(root);
  let first = true;
  const seen: string[] = [];
  await source.walk({
    onSkill: ({ absolute }) => {
      seen.push(basename(absolute));
      if (first) {
        rmSync(join(root, "b"), { recursive: true });
        writeFileSync(join(root, "b"), "");
      }
      first = false;
      return true;
    },
  });
  expect(seen).toEqual(["a"]);
});

// Permissions do not bind the superuser, so the walk runs as somebody else when the tests run as root.
async function listAsOrdinaryUser(path: string): Promise<{ folders: string[]; diagnostics: string[] }> {
  const effective = process.geteuid?.() === 0 ? 65_534 : undefined;
  if (effective !== undefined) process.seteuid?.(effective);
  try {
    const listing = await new LocalSource(path).listSkills();
    return {
      folders: listing.folders.map((folder) => folder.path),
      diagnostics: listing.diagnostics.map(({ code }) => code),
    };
  } finally {
    if (effective !== undefined) process.seteuid?.(0);
  }
}

test("SKILLS.md is a misspelled SKILL.md only where no skill lies below", async () => {
  writeTree(root, {
    "SKILLS.md": "An index.",
    "group/deep/a/SKILL.md": skillText("a"),
    "lone/SKILLS.md": skillText("lone"),
    "lone/notes/x.md": "",
  });
  const { diagnostics } = await new LocalSource(root).listSkills();
  expect(diagnostics).toMatchObject([{ code: "misspelled-skill-file", file: join(root, "lone/SKILLS.md") }]);
});
