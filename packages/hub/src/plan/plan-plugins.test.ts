import { join } from "node:path";
import { expect, test } from "vitest";
import {
  BODIES,
  type HubSandbox,
  hubSandbox,
  skillText,
  wanted,
  writeFiles,
} from "../testing/hub-sandbox.ts";
import { missingPlugins } from "./plan-plugins.ts";

const request = (urls: readonly string[]) => ({
  names: [],
  force: false,
  configured: { plugins: urls.map((url) => ({ url })), agents: [] },
});

function withSkills(skills: Readonly<Record<string, string>>): HubSandbox {
  const box = hubSandbox();
  for (const [folder, text] of Object.entries(skills))
    writeFiles(join(box.folder, folder), { "SKILL.md": text });
  return box;
}

test("one that is blocked or is no source stops no other, and each says why", async () => {
  const box = withSkills({ good: skillText("good"), odd: skillText("odd", BODIES.caution) });
  const hub = await box.openUser({ untrustedAround: (path) => path });
  const urls = [join(box.folder, "odd"), "::", join(box.folder, "good")];
  const plan = await hub.planRestore(request(urls));
  expect(plan.items).toMatchObject([{ name: "good", action: "install" }]);
  expect(plan.refusals).toEqual([]);
  expect(plan.failed).toMatchObject([
    { name: "odd", code: "blocked" },
    { name: "::", code: "unavailable" },
  ]);
  expect(await hub.apply(plan)).toMatchObject([
    { name: "good", outcome: "installed" },
    { name: "odd", outcome: "blocked" },
    { name: "::", outcome: "failed" },
  ]);
});

test("two that bring different skills of one name are not both installed", async () => {
  const box = withSkills({ one: skillText("same"), two: skillText("same", "Another.") });
  const hub = await box.openUser();
  const plan = await hub.planRestore(request(["one", "two"].map((name) => join(box.folder, name))));
  expect(plan.items).toMatchObject([{ name: "same" }]);
  expect(plan.failed).toMatchObject([{ name: "same", code: "name-taken" }]);
});

test("is installed by its name or by its source, in whatever version and whichever skill of it was picked", async () => {
  const box = withSkills({ "src/skills/a": skillText("a"), "src/skills/b": skillText("b") });
  const hub = await box.openUser();
  const source = join(box.folder, "src");
  await hub.apply(await hub.planInstall(wanted(source, { names: ["a"] })));
  const missing = async (...plugins: Parameters<typeof missingPlugins>[1]) =>
    missingPlugins(await hub.list(), plugins, { root: box.home, userHome: box.userHome });
  expect(await missing({ url: source }, { url: `${source}@a` }, { url: "o/r", name: "a" })).toEqual([]);
  expect(await missing({ url: `${source}@b` }, { url: "o/r" })).toHaveLength(2);
  expect(await missing({ url: "o/r", enabled: false })).toEqual([]);
});
