import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { skillText } from "../cli/sandbox.ts";
import { createPlace, type Place } from "./place.ts";
import { agreement, changeWhileReading, createRandom, startReader } from "./reloading.ts";

const ROOTS = [
  "home/.skillet/skills",
  "home/.claude/skills",
  "project/.agents/skills",
  "project/.claude/skills",
];

/** One change of the kind that people, editors and git make; each skill has a name of its own. */
function changeSomething(place: Place, random: (below: number) => number): void {
  const root = ROOTS[random(ROOTS.length)] ?? "";
  const number = random(8);
  const folder = join(place.root, root, `s${number}`, ...(random(3) === 0 ? ["nested"] : []));
  const skill = join(folder, "SKILL.md");
  const text = skillText(
    `${root.replaceAll(/\W+/g, "-")}-${number}-${folder.length}`,
    `Number ${random(1000)}.`,
  );
  const changes: readonly (() => void)[] = [
    () => write(skill, text),
    () => write(skill, `No header in ${folder}.`),
    () => write(join(folder, "agents/openai.yaml"), `interface:\n  display_name: Number ${random(9)}\n`),
    () => write(join(folder, "..", ".gitignore"), random(2) === 0 ? `s${random(8)}\n` : ""),
    () => write(join(folder, ".claude-plugin/plugin.json"), random(2) === 0 ? '{"name":"kit"}' : "{"),
    () => rmSync(folder, { recursive: true, force: true }),
    () => rmSync(join(folder, "agents"), { recursive: true, force: true }),
    () => rmSync(join(folder, "..", ".gitignore"), { force: true }),
    // As editors save: a new file takes the old one's place.
    () => {
      write(`${skill}.new`, text);
      renameSync(`${skill}.new`, skill);
    },
  ];
  changes[random(changes.length)]?.();
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

test("processes that reload over one cache while files change never fail, and agree with a cold search", async () => {
  const place = createPlace();
  const random = createRandom(7);
  // These stay, and are old enough for the cache after a while.
  for (let index = 0; index < 40; index++)
    place.write(`home/.agents/skills/stays-${index}/SKILL.md`, skillText(`stays-${index}`));
  const readers = [startReader(place), startReader(place)];
  const outcome = await changeWhileReading(readers, () => changeSomething(place, random));
  expect(outcome).toEqual(agreement(readers));
});
