import { renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { temporaryDirectory } from "../../../kit/src/testing/temporary-directory.ts";
import { type OpenSkillsOptions, openSkills } from "../open-skills.ts";
import { usableIn } from "../session/testing/inspect-session.ts";
import { skillText, writeTree } from "../testing/write-tree.ts";
import { trustFolder } from "../trust/trust-store.ts";
import type { Skills } from "./skills.ts";
import { projectSkills } from "./trusted-skills.ts";

let base: string;
let project: string;
beforeEach(() => {
  base = temporaryDirectory();
  project = join(base, "home/project");
  writeTree(project, { ".git/HEAD": "ref: refs/heads/main\n" });
});

const open = (options: OpenSkillsOptions = {}): Promise<Skills> =>
  openSkills({
    workspace: project,
    userHome: join(base, "home"),
    environment: { PATH: "/usr/bin:/bin" },
    organisationDirectory: join(base, "organisation"),
    bundledDirectory: false,
    ...options,
  });

const trust = async (): Promise<void> => {
  const skills = await open();
  const held = await projectSkills(skills);
  await trustFolder({ home: skills.home, projectRoot: project, skills: held, clock: Date.now });
};

const outline = ({ snapshot }: Skills): string[] =>
  snapshot.skills.map(({ qualifiedName, scope, state }) => `${qualifiedName} ${scope} ${state}`);
const codes = ({ snapshot }: Skills): string[] => snapshot.diagnostics.map(({ code }) => code);

const LAYOUT = {
  "skills/pdf/SKILL.md": skillText("pdf"),
  "skills/pdf/references/forms.md": "Forms.",
  ".agents/skills/pdf": { link: "../../skills/pdf" },
  ".claude/skills/pdf": { link: "../../skills/pdf" },
};

test("skills that a trusted repository links into its agents' folders are offered once, with their real path and every link", async () => {
  writeTree(project, LAYOUT);
  expect(outline(await open())).toEqual(["pdf project untrusted"]);
  await trust();
  const skills = await open();
  expect([outline(skills), codes(skills)]).toEqual([["pdf project enabled"], []]);
  expect(skills.snapshot.skills[0]).toMatchObject({
    path: join(project, ".agents/skills/pdf/SKILL.md"),
    alsoAt: [join(project, "skills/pdf/SKILL.md"), join(project, ".claude/skills/pdf/SKILL.md")],
  });
  const session = await skills.session();
  await session.activate("pdf");
  expect(await session.read("pdf", "references/forms.md")).toMatchObject({ content: "Forms." });
  expect(skills.find(join(project, "skills/pdf/SKILL.md"))).toMatchObject({ skill: { name: "pdf" } });
});

test("a link out of the repository is not followed, neither directly nor through links inside it", async () => {
  writeTree(join(base, "home/elsewhere"), { "secret/SKILL.md": skillText("secret") });
  writeTree(join(base, "home/.agents/skills"), { "mine/SKILL.md": skillText("mine") });
  writeTree(project, {
    ".agents/skills/direct": { link: join(base, "home/elsewhere/secret") },
    "inner/hop": { link: join(base, "home/elsewhere") },
    ".agents/skills/chain": { link: "../../inner/hop/secret" },
    ".agents/skills/file/SKILL.md": { link: join(base, "home/elsewhere/secret/SKILL.md") },
    // Into a root that is trusted: the user's skills do not become the project's.
    ".agents/skills/borrowed": { link: join(base, "home/.agents/skills/mine") },
    // Out and back in again: where it ends counts.
    "home-again/back/SKILL.md": skillText("back"),
    ".agents/skills/back": { link: join(project, "home-again/back") },
  });
  await trust();
  const skills = await open();
  expect(outline(skills)).toEqual(["back project enabled", "mine user enabled"]);
  expect(codes(skills)).toEqual(Array.from({ length: 4 }, () => "link-outside-root"));
});

test("loops of links and links to the repository itself end, and list every skill once", async () => {
  writeTree(project, {
    ...LAYOUT,
    ".agents/skills/all": { link: "../.." },
    "skills/up": { link: ".." },
    "skills/pdf/self": { link: "." },
    ".agents/skills/again": { link: "pdf" },
  });
  await trust();
  expect(outline(await open())).toEqual(["pdf project enabled"]);
});

test("a link from the user's folder into a project does not make the project's skill the user's", async () => {
  writeTree(project, { ".agents/skills/pdf/SKILL.md": skillText("pdf") });
  writeTree(join(base, "home"), {
    ".agents/skills/pdf": { link: join(project, ".agents/skills/pdf") },
    ".skillet/config.yaml": "skills:\n  precedence: [user, project]\n",
  });
  const untrusted = await open();
  expect(outline(untrusted)).toEqual(["pdf project untrusted"]);
  await trust();
  expect(outline(await open())).toEqual(["pdf project enabled"]);
});

test("a link that is swapped after the folder was trusted shows other bytes, which are not trusted", async () => {
  writeTree(project, { ...LAYOUT, "other/pdf/SKILL.md": skillText("pdf", "Other.") });
  writeTree(project, { "other/pdf/references/forms.md": "Swapped." });
  await trust();
  const skills = await open();
  const session = await skills.session();
  rmSync(join(project, ".agents/skills/pdf"));
  symlinkSync("../../other/pdf", join(project, ".agents/skills/pdf"));
  await expect(session.activate("pdf")).rejects.toMatchObject({
    code: expect.stringMatching(/trust|drift|changed/),
  });
  await skills.reload();
  const [skill] = skills.snapshot.skills.filter(({ path }) => path.includes(".agents"));
  expect(await skills.reader.verifyTrust(skill!)).toMatchObject({ outcome: "changed" });
});

test("a link that is swapped for one out of the repository after discovery is not read through", async () => {
  writeTree(project, LAYOUT);
  writeTree(join(base, "home/elsewhere"), {
    "SKILL.md": skillText("pdf", "Evil."),
    "references/forms.md": "Evil.",
  });
  await trust();
  const skills = await open();
  const [skill] = skills.snapshot.skills;
  renameSync(join(project, ".agents/skills/pdf"), join(project, ".agents/old"));
  symlinkSync(join(base, "home/elsewhere"), join(project, ".agents/skills/pdf"));
  await expect(skills.reader.readText(skill!)).rejects.toMatchObject({ code: "path-outside-root" });
  await expect(skills.reader.indexResources(skill!)).rejects.toMatchObject({ code: "path-outside-root" });
});

test("a link within a skill to another of its files is read as that file; one that leads elsewhere is not", async () => {
  writeTree(project, {
    ...LAYOUT,
    "notes.md": "Not the skill's.",
    "skills/pdf/references/alias.md": { link: "forms.md" },
    "skills/pdf/references/twice.md": { link: "alias.md" },
    "skills/pdf/references/out.md": { link: "../../../notes.md" },
    "skills/pdf/references/away.md": { link: "/etc/hostname" },
    "skills/pdf/references/loop.md": { link: "loop.md" },
  });
  await trust();
  const session = await (await open()).session();
  await session.activate("pdf");
  const read = (name: string) => session.read("pdf", `references/${name}.md`);
  for (const name of ["alias", "twice"])
    expect(await read(name)).toMatchObject({
      status: "read",
      content: "Forms.",
      digestMatchesRegistry: true,
    });
  for (const name of ["out", "away", "loop"])
    expect(await read(name)).toMatchObject({
      status: "error",
      error: { code: expect.stringMatching(/^resource-/) },
    });
  // A link is what it leads to at the time: a file that changed meanwhile is not given through it.
  writeFileSync(join(project, "skills/pdf/references/forms.md"), "Changed.");
  expect(await read("alias")).toMatchObject({ status: "error", error: { code: "resource-not-file" } });
});

test("a root outside the workspace is warned about, and refused where the configuration locks sessions", async () => {
  const elsewhere = writeTree(join(base, "elsewhere"), { "a/SKILL.md": skillText("a") });
  writeTree(project, { "library/b/SKILL.md": skillText("b"), out: { link: elsewhere } });
  const roots = ["library", "out"];
  const warned = await open({ roots });
  expect(outline(warned)).toEqual(["a explicit enabled", "b explicit enabled"]);
  expect(warned.snapshot.diagnostics).toMatchObject([
    { code: "root-outside-workspace", severity: "warning", file: join(project, "out") },
  ]);
  const session = await warned.session({ allow: ["*"] });
  expect(usableIn(session).map(({ name }) => name)).toEqual(["a", "b"]);
  await session.setMode("locked");
  const lockedAtOnce = await warned.session({ allow: ["*"], mode: "locked" });
  for (const one of [session, lockedAtOnce]) {
    expect(usableIn(one).map(({ name }) => name)).toEqual(["b"]);
    expect(one.catalog().report.hidden).toMatchObject([{ cause: "locked-mode", skill: { name: "a" } }]);
    await expect(one.activate("a", { source: "preload" })).rejects.toThrow("outside the workspace");
  }
  writeTree(join(base, "home"), { ".skillet/config.yaml": "policy:\n  mode: locked\n" });
  const locked = await open({ roots });
  expect(outline(locked)).toEqual(["b explicit enabled"]);
  expect(locked.snapshot.roots.map(({ state }) => state)).toEqual(["scanned", "unreadable"]);
  expect(codes(locked)).toEqual(["root-outside-workspace"]);
});
