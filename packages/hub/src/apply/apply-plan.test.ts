import { join } from "node:path";
import { readApprovals, withdrawApproval } from "@skillet/core/internal";
import { treeDigestOf } from "@skillet/kit/digest";
import { expect, test } from "vitest";
import { BODIES, hubSandbox, skillText, wanted, writeFiles } from "../testing/hub-sandbox.ts";

test("the yes to a plugin holds for each of its skills as far as that one needs it", async () => {
  const box = hubSandbox();
  const skills = { good: skillText("good"), odd: skillText("odd", BODIES.caution) };
  writeFiles(box.folder, {
    "src/.claude-plugin/plugin.json": '{"name":"kit"}',
    "src/skills/good/SKILL.md": skills.good,
    "src/skills/odd/SKILL.md": skills.odd,
  });
  const hub = await box.openUser({ untrustedAround: (path) => path });
  const request = wanted(join(box.folder, "src"), { names: ["plugin:kit"], force: true });
  expect(await hub.apply(await hub.planInstall(request))).toMatchObject([{ outcome: "installed" }]);
  const digestOf = (text: string) =>
    treeDigestOf([{ path: "SKILL.md", mode: "644", bytes: Buffer.from(text) }]);
  const approvals = [...readApprovals(box.home).approvals.values()];
  const whole = (await hub.list()).skills.get("kit")?.digest;
  expect(approvals.map(({ digest }) => digest).sort()).toEqual([digestOf(skills.odd), whole].sort());
  for (const approval of approvals)
    expect(approval).toMatchObject({ skill: "kit", verdict: "caution", forced: true });
});

test("forcing once more is heard, where a crash came between the change and the approval", async () => {
  const box = hubSandbox();
  writeFiles(box.folder, { "src/SKILL.md": skillText("odd", BODIES.caution) });
  const hub = await box.openUser({ untrustedAround: (path) => path });
  const request = wanted(join(box.folder, "src"), { force: true });
  await hub.apply(await hub.planInstall(request));
  const { approvals } = readApprovals(box.home);
  for (const digest of approvals.keys()) await withdrawApproval({ home: box.home, digest });
  expect(await hub.apply(await hub.planInstall(request))).toMatchObject([{ outcome: "unchanged" }]);
  expect([...readApprovals(box.home).approvals.keys()]).toEqual([...approvals.keys()]);
});
