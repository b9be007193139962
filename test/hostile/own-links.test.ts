import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openSkills, type Skills } from "@skillet/core";
import { trustFolder } from "@skillet/core/internal";
import { beforeEach, describe, expect, test } from "vitest";
import { skillText, writeTree } from "../../packages/core/src/testing/write-tree.ts";
import { temporaryDirectory } from "../../packages/kit/src/testing/temporary-directory.ts";

let base: string;
beforeEach(() => {
  base = temporaryDirectory();
  writeTree(base, { "home/project/.git/HEAD": "ref: refs/heads/main\n" });
});

const open = (): Promise<Skills> =>
  openSkills({
    workspace: join(base, "home/project"),
    userHome: join(base, "home"),
    environment: { PATH: "/usr/bin:/bin" },
    organisationDirectory: false,
    bundledDirectory: false,
  });
const outline = ({ snapshot }: Skills): string[] =>
  snapshot.skills.map(({ qualifiedName, scope, state }) => `${qualifiedName} ${scope} ${state}`);
const codes = ({ snapshot }: Skills): string[] => snapshot.diagnostics.map(({ code }) => code);

describe("a link that a person put into a folder of theirs", () => {
  const link = (name: string, target: string): string =>
    writeTree(join(base, "home"), { [`.claude/skills/${name}`]: { link: join(base, target) } });

  test("is followed, and neither a link in the skill nor one in a skill beside it leads on", async () => {
    writeTree(join(base, "home/dev/mine"), {
      "SKILL.md": skillText("mine"),
      "notes.md": "Mine.",
      "out.md": { link: join(base, "home/secret/SKILL.md") },
      more: { link: join(base, "home/secret") },
    });
    writeTree(join(base, "home/secret"), { "SKILL.md": skillText("secret") });
    writeTree(join(base, "home/.claude/skills/fetched"), {
      "SKILL.md": skillText("fetched"),
      inner: { link: join(base, "home/secret") },
    });
    link("mine", "home/dev/mine");
    const skills = await open();
    expect(outline(skills)).toEqual(["fetched user enabled", "mine user enabled"]);
    expect(codes(skills)).toEqual(["link-outside-root"]);
    const [, mine] = skills.snapshot.skills;
    expect(mine).toMatchObject({ origin: "local", path: join(base, "home/.claude/skills/mine/SKILL.md") });
    const session = await skills.session();
    await session.activate("mine");
    expect(await session.read("mine", "notes.md")).toMatchObject({ content: "Mine." });
    expect(await session.read("mine", "out.md")).toMatchObject({ status: "error" });
    // Another folder put in its place is not read in its stead.
    rmSync(join(base, "home/.claude/skills/mine"));
    link("mine", "home/secret");
    expect((await skills.reader.readText(mine!)).text).toContain("name: mine");
  });

  test("is not followed to a folder of skills, which may hold other people's repositories", async () => {
    writeTree(join(base, "home/dev"), {
      "stranger/.git/HEAD": "ref: refs/heads/main\n",
      "stranger/evil/SKILL.md": skillText("evil"),
    });
    link("dev", "home/dev");
    const skills = await open();
    expect(outline(skills)).toEqual([]);
    expect(codes(skills)).toEqual(["link-outside-root"]);
  });

  test("gives one skill, and none that lies in its folder", async () => {
    writeTree(join(base, "home/dev/outer"), {
      "SKILL.md": skillText("outer"),
      "inner/SKILL.md": skillText("inner"),
    });
    link("outer", "home/dev/outer");
    const skills = await open();
    expect(outline(skills)).toEqual(["outer user enabled"]);
    expect(codes(skills)).toEqual([]);
  });

  test("into a stranger's clone takes no name from a skill of the user's own", async () => {
    writeTree(join(base, "home"), {
      "clone/.git/HEAD": "ref: refs/heads/main\n",
      "clone/deploy/SKILL.md": skillText("deploy"),
      ".gemini/skills/deploy/SKILL.md": skillText("deploy", "Mine."),
    });
    link("deploy", "home/clone/deploy");
    const [kept] = (await open()).snapshot.skills.filter(({ qualifiedName }) => qualifiedName === "deploy");
    expect(kept).toMatchObject({ origin: "local", path: join(base, "home/.gemini/skills/deploy/SKILL.md") });
  });

  test.each([
    ["that everyone can write to", "shared/mine", 0o777],
    ["that holds the home", "", 0o755],
  ])("is not followed into a folder %s", async (_, target, mode) => {
    writeTree(join(base, "shared/mine"), { "SKILL.md": skillText("mine") });
    chmodSync(join(base, target), mode);
    link("mine", target);
    const skills = await open();
    expect([outline(skills), codes(skills)]).toEqual([[], ["link-outside-root"]]);
  });

  test("makes a skill of another repository the community's, until that is trusted", async () => {
    const clone = writeTree(join(base, "clone"), {
      ".git/HEAD": "ref: refs/heads/main\n",
      "x/SKILL.md": skillText("x"),
    });
    link("x", "clone/x");
    const stranger = await open();
    expect(stranger.snapshot.skills).toMatchObject([{ name: "x", origin: "community" }]);
    expect(codes(stranger)).toEqual(["link-into-untrusted"]);
    await trustFolder({ home: stranger.home, projectRoot: clone, skills: [], clock: Date.now });
    const own = await open();
    expect([own.snapshot.skills[0]?.origin, codes(own)]).toEqual(["local", []]);
  });
});
