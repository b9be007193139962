import { chmodSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { skillText } from "../cli/sandbox.ts";
import { asOrdinaryUser, codes, createPlace, type Place, standing } from "./place.ts";

function forbid(place: Place, path: string, mode = 0): void {
  const absolute = join(place.root, path);
  chmodSync(absolute, mode);
  onTestFinished(() => chmodSync(absolute, 0o755));
}

test("an unreadable folder is reported, and its siblings load", async () => {
  const place = createPlace();
  place.write("project/.agents/skills/closed/SKILL.md", skillText("closed"));
  place.write("project/.agents/skills/open/SKILL.md", skillText("open"));
  forbid(place, "project/.agents/skills/closed");
  const skills = await asOrdinaryUser(place.root, () => place.open());
  expect(standing(skills)).toEqual(["mine enabled", "open untrusted"]);
  expect(codes(skills)).toEqual(["unreadable-folder"]);
});

test("an unreadable SKILL.md is reported, and its siblings load", async () => {
  const place = createPlace();
  place.write("project/.agents/skills/closed/SKILL.md", skillText("closed"));
  place.write("project/.agents/skills/open/SKILL.md", skillText("open"));
  forbid(place, "project/.agents/skills/closed/SKILL.md");
  const skills = await asOrdinaryUser(place.root, () => place.open());
  expect(standing(skills)).toEqual(["mine enabled", "open untrusted"]);
  expect(codes(skills)).toEqual(["unreadable-skill"]);
});

test("a root behind an unreadable folder is reported, and the other roots load", async () => {
  const place = createPlace();
  place.write("project/.agents/skills/closed/SKILL.md", skillText("closed"));
  forbid(place, "project/.agents");
  const skills = await asOrdinaryUser(place.root, () => place.open());
  expect(standing(skills)).toEqual(["mine enabled"]);
  expect(codes(skills)).toEqual(["unreadable-root"]);
});

test("a plugin manifest and an ignore file that may not be read are reported, and the skills load", async () => {
  const place = createPlace();
  place.write("project/.agents/skills/open/SKILL.md", skillText("open"));
  place.write("project/.agents/skills/.gitignore", "open\n");
  place.write("project/.agents/skills/.claude-plugin/plugin.json", '{"name":"kit"}');
  forbid(place, "project/.agents/skills/.gitignore");
  forbid(place, "project/.agents/skills/.claude-plugin");
  const skills = await asOrdinaryUser(place.root, () => place.open());
  expect(standing(skills)).toEqual(["mine enabled", "open untrusted"]);
  expect(codes(skills).toSorted()).toEqual(["plugin-manifest-invalid", "unreadable-ignore-file"]);
});
