import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ResourceIndex } from "@skillet/core";
import { describe, expect, test } from "vitest";
import { skillText } from "../cli/sandbox.ts";
import { codes, createPlace, type Place } from "./place.ts";

const NOT_UTF8 = Buffer.from([0xff]);

/** A path whose last part ends in a byte that is no UTF-8. */
function oddPath(place: Place, path: string): Buffer {
  return Buffer.concat([Buffer.from(join(place.root, path)), NOT_UTF8]);
}

async function indexOfMine(place: Place): Promise<ResourceIndex> {
  const skills = await place.open();
  const mine = skills.snapshot.skills.find(({ name }) => name === "mine");
  return skills.reader.indexResources(mine!);
}

/** A file is covered when it is listed; one that is not must keep the tree from having a digest, and be named. */
function isCovered({ resources, treeDigest, diagnostics }: ResourceIndex, path: string): boolean {
  return treeDigest === undefined
    ? diagnostics.some(({ severity }) => severity === "error")
    : resources.some((resource) => resource.path === path);
}

describe("a tree with a digest holds no file that the digest does not cover", () => {
  test.each([
    ["beside a SKILL.md in node_modules, where no skill is looked for", "node_modules/kit/SKILL.md"],
    ["beside a SKILL.md in a plugin folder, where no skill is looked for", ".claude-plugin/SKILL.md"],
    ["beside a folder called skill.md", "scripts/skill.md/keep"],
    ["beside a SKILL.md that does not load", "scripts/SKILL.md"],
    ["beside a SKILL.md deeper than skills are looked for", "1/2/3/4/5/6/7/SKILL.md"],
  ])("one %s", async (_, nested) => {
    const place = createPlace();
    place.write(`home/.claude/skills/mine/${nested}`, "");
    const folder = nested.replace(/\/(?:SKILL\.md|skill\.md\/keep)$/, "");
    place.write(`home/.claude/skills/mine/${folder}/run.sh`, "#!/bin/sh\n");
    expect(isCovered(await indexOfMine(place), `${folder}/run.sh`)).toBe(true);
  });

  test("one beside a SKILL.md that an ignore file hides", async () => {
    const place = createPlace();
    place.write("home/.claude/skills/mine/.gitignore", "scripts\n");
    place.write("home/.claude/skills/mine/scripts/SKILL.md", skillText("hidden"));
    place.write("home/.claude/skills/mine/scripts/run.sh", "#!/bin/sh\n");
    expect(isCovered(await indexOfMine(place), "scripts/run.sh")).toBe(true);
  });

  test("one beside a link to the skill itself, which is folded into it", async () => {
    const place = createPlace();
    place.link("home/.claude/skills/mine/scripts/SKILL.md", "../SKILL.md");
    place.write("home/.claude/skills/mine/scripts/run.sh", "#!/bin/sh\n");
    const index = await indexOfMine(place);
    expect(index.resources.map(({ path }) => path)).toEqual(["scripts/SKILL.md", "scripts/run.sh"]);
  });

  test.runIf(process.platform === "linux")("one whose name is no UTF-8", async () => {
    const place = createPlace();
    writeFileSync(oddPath(place, "home/.claude/skills/mine/run"), "#!/bin/sh\n");
    expect(isCovered(await indexOfMine(place), "run\ufffd")).toBe(true);
  });
});

test.runIf(process.platform === "linux")(
  "a skill in a folder whose name is no UTF-8 is reported, not passed over in silence",
  async () => {
    const place = createPlace();
    mkdirSync(join(place.root, "home/.skillet/skills"), { recursive: true });
    const folder = oddPath(place, "home/.skillet/skills/odd");
    mkdirSync(folder);
    writeFileSync(Buffer.concat([folder, Buffer.from("/SKILL.md")]), skillText("odd"));
    expect(codes(await place.open())).toEqual(["name-not-utf8"]);
  },
);
