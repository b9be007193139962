import { join } from "node:path";
import { expect, test } from "vitest";
import { hubSandbox, skillText, wanted, writeFiles } from "../testing/hub-sandbox.ts";
import { leftWithDeclined } from "./left-with-declined.ts";
import type { PlanItem } from "./plan.ts";

const item = (name: string, entry: object, isThere = false): PlanItem =>
  ({ name, entry, ...(isThere && { before: {} }) }) as unknown as PlanItem;

const left = (items: readonly PlanItem[], ...declined: readonly string[]): readonly string[] => [
  ...leftWithDeclined(items, new Map(declined.map((name) => [name, "no"]))).keys(),
];

test("a version that newly needs what was declined stays away, however far along", () => {
  const items = [
    item("top", { requires: ["middle"] }, true),
    item("middle", { requires: ["low"], requiredBy: ["top"] }),
    item("low", { requiredBy: ["middle"] }),
    item("other", {}, true),
  ];
  expect(left(items, "low")).toEqual(["middle", "top"]);
  expect(left(items, "top")).toEqual(["middle", "low"]);
  expect(left(items)).toEqual([]);
});

test("what is there already is no reason to stay away, though its own update was declined", () => {
  const items = [item("a", {}, true), item("b", { requires: ["a"] }, true)];
  expect(left(items, "a")).toEqual([]);
});

test("an update that keeps going leaves what needs a refused skill, and does the others", async () => {
  const box = hubSandbox();
  const hub = await box.openUser();
  for (const name of ["x", "y"]) {
    writeFiles(box.folder, { [`${name}/SKILL.md`]: skillText(name) });
    await hub.apply(await hub.planInstall(wanted(join(box.folder, name))));
  }
  const needed = join(box.folder, "needed");
  writeFiles(box.folder, {
    "needed/SKILL.md": skillText("needed"),
    "x/SKILL.md": skillText("x", "Do.", `metadata:\n  requires:\n    skills: ["${needed}"]\n`),
    "y/SKILL.md": skillText("y", "Newer."),
  });
  const plan = await hub.planUpdate({ names: [], force: false, keepGoing: true });
  const results = await hub.apply(plan, { keepGoing: true });
  expect(results.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual([
    "needed declined",
    "x skipped",
    "y updated",
  ]);
});
