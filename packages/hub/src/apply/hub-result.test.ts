import { readFileSync } from "node:fs";
import { join } from "node:path";
import { auditPath } from "@skillet/core/internal";
import { expect, test } from "vitest";
import { BODIES, hubSandbox, person, skillText, wanted, writeFiles } from "../testing/hub-sandbox.ts";

const reasons = (home: string): readonly string[] =>
  readFileSync(auditPath(home), "utf8")
    .trim()
    .split("\n")
    .map((line) => String(JSON.parse(line).reason));

test("the audit log says approved only of what a person was asked about", async () => {
  const box = hubSandbox();
  const needing = skillText("a", "Do.", 'metadata:\n  requires:\n    skills: ["b"]\n');
  writeFiles(box.project, {
    "src/skills/a/SKILL.md": needing,
    "src/skills/b/SKILL.md": skillText("b", BODIES.dangerous),
  });
  const approving = await box.open({ ask: person("yes").ask });
  await approving.apply(await approving.planInstall(wanted("./src@a")));
  const first = reasons(box.home);
  expect(first.filter((reason) => reason.startsWith("approved: "))).toHaveLength(1);
  const unattended = await box.open();
  await unattended.apply(await unattended.planInstall(wanted("./src@b")));
  const later = reasons(box.home).slice(first.length);
  expect(later).not.toEqual([]);
  expect(later.filter((reason) => /approved|accepted/.test(reason))).toEqual([]);
});

test("what was accepted beforehand is called so", async () => {
  const box = hubSandbox();
  writeFiles(box.project, { "src/SKILL.md": skillText("x") });
  const hub = await box.open();
  await hub.apply(await hub.planInstall(wanted("./src")));
  writeFiles(box.project, { "src/scripts/run.py": "print(1)\n" });
  const plan = await hub.planUpdate({ names: [], force: false });
  expect(await hub.apply(plan, { acceptCapabilities: true })).toMatchObject([{ outcome: "updated" }]);
  expect(reasons(box.home).at(-1)).toMatch(/^accepted beforehand: /);
});

test("a yes to capabilities is none to a further skill that a new version needs", async () => {
  const box = hubSandbox();
  const other = join(box.folder, "other");
  writeFiles(box.folder, { "x/SKILL.md": skillText("x"), "other/SKILL.md": skillText("other") });
  const hub = await box.openUser();
  await hub.apply(await hub.planInstall(wanted(join(box.folder, "x"))));
  const header = `metadata:\n  requires:\n    skills: ["${other}"]\n`;
  writeFiles(box.folder, { "x/SKILL.md": skillText("x", "Do.", header), "x/scripts/run.py": "print(1)\n" });
  const update = async (force = false) =>
    hub.apply(await hub.planUpdate({ names: [], force }), { acceptCapabilities: true });
  for (const results of [await update(), await update(true)]) {
    expect(results.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual(["other declined", "x skipped"]);
    expect(results[0]?.reason).toContain(`skillet install ${other}`);
  }
  await hub.apply(await hub.planInstall(wanted(other)));
  expect(await update()).toMatchObject([{ name: "other" }, { name: "x", outcome: "updated" }]);
});
