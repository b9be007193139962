import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { LocalSource } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import { describe, expect, test } from "vitest";
import { skillText } from "../cli/sandbox.ts";
import { codes, createPlace, type Place, standing } from "./place.ts";

const SKILLS = "home/.skillet/skills";

describe("link loops", () => {
  function looping(): Place {
    const place = createPlace();
    place.write(`${SKILLS}/a/SKILL.md`, skillText("a"));
    place.write(`${SKILLS}/group/b/SKILL.md`, skillText("b"));
    place.link(`${SKILLS}/a/self`, ".");
    place.link(`${SKILLS}/a/up`, "..");
    place.link(`${SKILLS}/group/there`, "../other");
    place.link(`${SKILLS}/other/back`, "../group");
    place.link(`${SKILLS}/one`, "two");
    place.link(`${SKILLS}/two`, "one");
    return place;
  }

  test("end, and every skill on them is listed once", async () => {
    const skills = await looping().open();
    expect(standing(skills)).toEqual(["a enabled", "b enabled", "mine enabled"]);
    expect(codes(skills)).toEqual(["link-broken", "link-broken"]);
  });

  test("end for the command too", async () => {
    const { exitCode, document } = await looping().json(["show", "--scope", "user"]);
    expect(exitCode).toBe(0);
    expect(document.skills.map(({ name }: { name: string }) => name)).toEqual(["a", "b", "mine"]);
  });

  test("a farm of links in both directions ends, each folder entered once", async () => {
    const place = createPlace();
    for (let index = 0; index < 40; index++) {
      mkdirSync(join(place.root, SKILLS, `f${index}`), { recursive: true });
      for (let other = 0; other < 40; other++)
        if (other !== index) place.link(`${SKILLS}/f${index}/to${other}`, `../f${other}`);
    }
    place.write(`${SKILLS}/f7/SKILL.md`, skillText("seven"));
    const skills = await place.open();
    expect(standing(skills)).toEqual(["mine enabled", "seven enabled"]);
  });
});

describe("links out of the roots", () => {
  function leading(): Place {
    const place = createPlace();
    place.write("secret/SKILL.md", skillText("secret", "A text that nobody may see."));
    place.write("project/.agents/skills/ours/SKILL.md", skillText("ours"));
    const secret = join(place.root, "secret");
    place.link("project/.agents/skills/folder", secret);
    place.link("project/.agents/skills/relative", "../../../secret");
    place.link("project/.agents/skills/file/SKILL.md", join(secret, "SKILL.md"));
    place.link("project/.agents/skills/chain", "hop");
    place.link("project/.agents/skills/hop", secret);
    place.link("project/.agents/skills/process", `/proc/self/root${secret}`);
    place.link("project/.agents/skills/descriptor", "/proc/self/cwd");
    place.link("project/.agents/skills/borrowed", join(place.home, ".claude/skills/mine"));
    place.link("project/.agents/skills/ours/references", secret);
    return place;
  }

  test("are reported, and nothing behind them is in the snapshot", async () => {
    const place = leading();
    const skills = await place.open();
    expect(standing(skills)).toEqual(["mine enabled", "ours untrusted"]);
    expect(new Set(codes(skills))).toEqual(new Set(["link-outside-root"]));
    expect(JSON.stringify(skills.snapshot)).not.toContain("nobody may see");
  });

  test("stay unread through the command, also when the folder is trusted", async () => {
    const place = leading();
    await place.skillet(["trust", "--yes"]);
    for (const args of [["show", "--long"], ["explain", "ours"], ["catalog"], ["doctor"]]) {
      const { stdout, stderr } = await place.skillet(args);
      expect(stdout + stderr).not.toContain("nobody may see");
    }
  });

  test("inside a skill are listed with their text, and reading through one is refused", async () => {
    const place = leading();
    const skills = await place.open();
    const ours = skills.snapshot.skills.find(({ name }) => name === "ours");
    const { resources } = await skills.reader.indexResources(ours!);
    expect(resources.map(({ path, contentKind }) => [path, contentKind])).toEqual([["references", "link"]]);
    const source = new LocalSource(join(place.project, ".agents/skills"));
    await expect(source.read("ours/references/SKILL.md", { maxBytes: 10 })).rejects.toMatchObject({
      code: "path-outside-root",
    });
  });
});

test.each([
  "../secret/SKILL.md",
  "a/../../secret/SKILL.md",
  "/etc/passwd",
  "//etc/passwd",
  "./a/SKILL.md",
  "a//SKILL.md",
  "a/./SKILL.md",
  "a\\..\\..\\secret",
  "C:/secret",
  "a\0/../secret",
  "a/SKILL.md/../../../secret/SKILL.md",
  "..",
  ".",
  "",
  "\u2025/secret/SKILL.md",
  "\uff0e\uff0e/secret/SKILL.md",
  "..\u2215secret",
  "..\ufeff/secret/SKILL.md",
  "x".repeat(5000),
])("a caller's path never leaves the root, whatever its spelling: %j", async (path) => {
  const place = createPlace();
  place.write("secret/SKILL.md", skillText("secret"));
  place.write("root/a/SKILL.md", skillText("a"));
  const source = new LocalSource(join(place.root, "root"));
  const failure = await source.read(path, { maxBytes: 100 }).then(
    () => "it was read",
    (error: unknown) => (SkilletError.isInstance(error) ? error.code : String(error)),
  );
  expect(["path-invalid", "file-not-found"]).toContain(failure);
});
