import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { skillText } from "../cli/sandbox.ts";
import { createPlace, type Place, standing } from "./place.ts";
import { agreement, changeWhileReading, createRandom, startReader } from "./reloading.ts";

// Longer than a file system lets a name be: the link can be made, and resolving it fails.
const LONG = "a".repeat(300);

test.each([
  "project/.agents",
  "project/.agents/skills",
  "project/.agents/skills/link",
  "project/.agents/skills/a/SKILL.md",
  "project/.agents/skills/a/agents/openai.yaml",
  "project/.agents/skills/.gitignore",
  "project/.agents/skills/.claude-plugin/plugin.json",
  "project/.claude/commands/run.md",
])("a link to too long a name at %s keeps no other skill from being found", async (path) => {
  const place = createPlace();
  place.link(path, LONG);
  expect(standing(await place.open())).toEqual(["mine enabled"]);
});

test("reloads while copies and links come and go never fail, and agree with a cold search", async () => {
  const place = createPlace();
  const random = createRandom(11);
  const readers = [startReader(place), startReader(place)];
  const outcome = await changeWhileReading(readers, () => changeCopyOrLink(place, random));
  expect(outcome).toEqual(agreement(readers));
});

/** Writes one of a few skills over and over, in many places; or a link where a folder was, and the other way round. */
function changeCopyOrLink(place: Place, random: (below: number) => number): void {
  const folder = `project/.agents/skills/s${random(6)}`;
  rmSync(join(place.root, folder), { recursive: true, force: true });
  if (random(3) === 0) place.link(folder, `s${random(6)}`);
  else place.write(`${folder}/SKILL.md`, skillText(`same-${random(2)}`));
}
