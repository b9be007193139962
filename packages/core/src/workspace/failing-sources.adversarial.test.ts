import { join } from "node:path";
import { SkilletError } from "@skillet/kit/errors";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import { openSkills } from "../open-skills.ts";
import { loadAndRender } from "../session/facade.ts";
import { decisionOf } from "../session/testing/unwrap.ts";
import { MemorySource } from "../source/memory-source.ts";
import type { SkillFolder, SkillListing, SourceRead } from "../source/skill-source.ts";
import { skillText, writeTree } from "../testing/write-tree.ts";
import type { Skills } from "./skills.ts";

const NAMES = Array.from({ length: 20 }, (_, index) => `skill-${index}`);
const FILES = Object.fromEntries(NAMES.map((name) => [`${name}/SKILL.md`, skillText(name)]));

/** A source of a host's own, which fails as the test says. */
class Remote extends MemorySource {
  readonly #failure: (path: string) => unknown;

  constructor(failure: (path: string) => unknown) {
    super(FILES);
    this.#failure = failure;
  }

  override async listSkills(): Promise<SkillListing> {
    this.#fail("");
    const folders: SkillFolder[] = NAMES.map((path) => ({ path, file: "SKILL.md" }));
    return { folders, diagnostics: [] };
  }

  override async read(path: string, options: { readonly maxBytes: number }): Promise<SourceRead> {
    this.#fail(path);
    return super.read(path, options);
  }

  #fail(path: string): void {
    const failure = this.#failure(path);
    if (failure !== undefined) throw failure;
  }
}

const open = (source: MemorySource): Promise<Skills> =>
  openSkills({ workspace: temporaryDirectory(), home: temporaryDirectory(), roots: [], sources: [source] });
const reset = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });

test("a source that throws is an error, never 'no skills'", async () => {
  const dead = new Remote(() => reset);
  await expect(loadAndRender(dead)).rejects.toMatchObject({ code: "unreadable-root" });
  // Listed, but every file is out of reach: that is no empty source either.
  const cutOff = new Remote((path) => (path === "" ? undefined : reset));
  await expect(loadAndRender(cutOff)).rejects.toMatchObject({ code: "unreadable-root" });
  expect((await open(dead)).snapshot).toMatchObject({
    roots: [{ state: "unreadable" }],
    diagnostics: [{ code: "unreadable-root", severity: "error" }],
  });
});

test("one failing read of a source loses one skill, and says which", async () => {
  const { snapshot } = await open(new Remote((path) => (path.startsWith("skill-7/") ? reset : undefined)));
  expect(snapshot.skills).toHaveLength(19);
  expect(snapshot.roots).toMatchObject([{ state: "scanned", skills: 19, failed: 1 }]);
  expect(snapshot.diagnostics).toMatchObject([
    {
      code: "unreadable-skill",
      severity: "error",
      file: "memory:/skill-7/SKILL.md",
      message: "read ECONNRESET",
    },
  ]);
});

test("a folder of a custom source without a SKILL.md is not an error", async () => {
  const missing = [
    new SkilletError("file-not-found", "There is no such file."),
    Object.assign(new Error("no such file"), { code: "ENOENT" }),
  ];
  for (const failure of missing) {
    const { snapshot } = await open(
      new Remote((path) => (path.startsWith("skill-7/") ? failure : undefined)),
    );
    expect(snapshot.skills).toHaveLength(19);
    expect(snapshot.roots).toMatchObject([{ failed: 0 }]);
    expect(snapshot.diagnostics).toEqual([]);
  }
});

test("relative roots and records are those of the workspace, wherever the process is and goes", async () => {
  const workspace = temporaryDirectory();
  writeTree(workspace, { "library/a/SKILL.md": skillText("a") });
  const skills = await openSkills({ workspace, home: temporaryDirectory(), roots: ["library"] });
  expect(skills.snapshot.skills.map(({ path }) => path)).toEqual([join(workspace, "library/a/SKILL.md")]);
  const elsewhere = temporaryDirectory();
  const before = process.cwd();
  process.chdir(elsewhere);
  try {
    await skills.reload();
    expect(skills.snapshot.skills).toHaveLength(1);
    const session = await skills.session({ records: "runs/1" });
    await session.activate("a");
    await session.turn().end();
    const resumed = await skills.resume("runs/1");
    expect(resumed.session.snapshot.skills).toHaveLength(1);
  } finally {
    process.chdir(before);
  }
});

test("a project folder that is passed as undefined is the project's, so that rules for ./ hold", async () => {
  const workspace = temporaryDirectory();
  const home = temporaryDirectory();
  writeTree(home, {
    "config.yaml": 'policy:\n  rules:\n    - { tool: "Read(./secret/**)", action: deny }\n',
  });
  const skills = await openSkills({ workspace, home, roots: [] });
  const call = { tool: "Read", input: { file_path: join(workspace, "secret/key") } };
  const given = await decisionOf((await skills.session({ projectDirectory: undefined })).guard(call));
  expect(given.outcome).toBe("deny");
});
