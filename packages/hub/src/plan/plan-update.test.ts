import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { auditPath } from "@skillet/core/internal";
import { describe, expect, test } from "vitest";
import type { PlannedItem } from "../plan-item.ts";
import {
  BODIES,
  type HubSandbox,
  hubSandbox,
  skillText,
  wanted,
  writeFiles,
} from "../testing/hub-sandbox.ts";
import { leftWithDeclined } from "./plan-update.ts";

const records = (home: string): readonly Readonly<Record<string, unknown>>[] =>
  readFileSync(auditPath(home), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

const outcomes = (results: readonly { readonly name: string; readonly outcome: string }[]) =>
  results.map(({ name, outcome }) => `${name} ${outcome}`);

/** A user with these skills, each from a folder of its own. */
async function having(...names: readonly string[]): Promise<HubSandbox> {
  const box = hubSandbox();
  const hub = await box.openUser();
  for (const name of names) {
    writeFiles(box.folder, { [`src/${name}/SKILL.md`]: skillText(name) });
    await hub.apply(await hub.planInstall(wanted(join(box.folder, "src", name))));
  }
  return box;
}

describe("an update of which one source is gone", () => {
  test("changes nothing, and is recorded as an update that did not come about", async () => {
    const box = await having("a", "b");
    writeFiles(box.folder, { "src/b/SKILL.md": skillText("b", "Twice.") });
    rmSync(join(box.folder, "src/a"), { recursive: true });
    const hub = await box.openUser();
    const results = await hub.apply(await hub.planUpdate({ names: [], force: false }));
    expect(outcomes(results)).toEqual(["b skipped", "a refused"]);
    expect(records(box.home).at(-1)).toMatchObject({ action: "update", skill: "a", decision: "deny" });
  });

  test("goes on with the others where someone says so, and names the one that failed", async () => {
    const box = await having("a", "b", "c");
    writeFiles(box.folder, {
      "src/b/SKILL.md": skillText("b", "Twice."),
      "src/c/SKILL.md": skillText("c", BODIES.dangerous),
    });
    rmSync(join(box.folder, "src/a"), { recursive: true });
    const hub = await box.openUser({ untrustedAround: (path) => path });
    const before = records(box.home).length;
    const plan = await hub.planUpdate({ names: [], force: false, keepGoing: true });
    const results = await hub.apply(plan);
    expect(outcomes(results)).toEqual(["b updated", "a failed", "c blocked"]);
    expect(results.find(({ name }) => name === "a")?.reason).toMatch(/^a cannot be updated: /);
    const told = records(box.home).slice(before);
    expect(told.map(({ action, skill, decision }) => `${action} ${skill} ${decision}`)).toEqual([
      "update a deny",
      "block c deny",
      "update b allow",
    ]);
  });
});

test("a linked skill that is asked for by name is refused, and left alone where everything is updated", async () => {
  const box = hubSandbox();
  writeFiles(box.folder, { "x/SKILL.md": skillText("x") });
  const hub = await box.openUser();
  await hub.apply(await hub.planInstall(wanted(join(box.folder, "x"), { link: true })));
  const named = await hub.planUpdate({ names: ["x"], force: false });
  expect(named.refusals).toMatchObject([{ name: "x", code: "linked", wanted: "update" }]);
  expect(await hub.planUpdate({ names: [], force: false })).toMatchObject({ items: [], refusals: [] });
});

const item = (name: string, entry: object, isThere = false): PlannedItem =>
  ({ name, entry, ...(isThere && { installed: {} }) }) as unknown as PlannedItem;

const left = (items: readonly PlannedItem[], ...declined: readonly string[]): readonly string[] => [
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

test("what is there already is not a reason to stay away, though its own update was declined", () => {
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
