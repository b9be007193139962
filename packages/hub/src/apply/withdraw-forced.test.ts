import { readFileSync, writeFileSync } from "node:fs";
import { approvalPath, auditPath, readApprovals } from "@skillet/core";
import type { Digest } from "@skillet/kit/digest";
import { describe, expect, test } from "vitest";
import {
  BODIES,
  type HubSandbox,
  hubSandbox,
  person,
  skillText,
  wanted,
  writeFiles,
} from "../testing/hub-sandbox.ts";

const REMOVE_X = { names: ["x"], discardEdits: false, dryRun: false } as const;
const approved = ({ home }: HubSandbox): readonly Digest[] => [...readApprovals(home).approvals.keys()];
const withdrawals = ({ home }: HubSandbox): readonly Record<string, unknown>[] =>
  readFileSync(auditPath(home), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ action }) => action === "withdraw");

function withDangerous(body: string = BODIES.dangerous): HubSandbox {
  const box = hubSandbox();
  writeFiles(box.project, { "src/x/SKILL.md": skillText("x", body) });
  return box;
}

describe("what somebody let in by force", () => {
  test("is no longer approved once it is removed, and the log and the answer say so", async () => {
    const box = withDangerous();
    const hub = await box.open();
    await hub.apply(await hub.planInstall(wanted("./src/x", { force: true })));
    const digest = (await hub.list()).skills.get("x")?.digest;
    expect(approved(box)).toEqual([digest]);
    await hub.remove({ ...REMOVE_X, dryRun: true });
    expect(approved(box)).toEqual([digest]);
    const [removed] = await hub.remove(REMOVE_X);
    expect(approved(box)).toEqual([]);
    expect(removed?.reason).toContain("--force");
    expect(withdrawals(box)).toMatchObject([
      {
        skill: "x",
        digest,
        path: hub.lockFile,
        decision: "allow",
        reason: expect.stringContaining("removed"),
      },
    ]);
    const again = await hub.apply(await hub.planInstall(wanted("./src/x")));
    expect(again).toMatchObject([{ outcome: "declined" }]);
  });

  test("stays approved while another lock of this machine holds the same bytes", async () => {
    const box = withDangerous();
    const [own, projects] = [await box.openUser(), await box.open()];
    for (const hub of [own, projects])
      await hub.apply(await hub.planInstall(wanted("./src/x", { force: true })));
    const [first] = await own.remove(REMOVE_X);
    expect(first).not.toHaveProperty("reason");
    expect(approved(box)).toHaveLength(1);
    expect(withdrawals(box)).toEqual([]);
    await projects.remove(REMOVE_X);
    expect(approved(box)).toEqual([]);
  });

  test("stays approved while the same lock holds it in a plugin", async () => {
    const box = withDangerous();
    const text = skillText("x", BODIES.dangerous);
    writeFiles(box.project, {
      "plugin/.claude-plugin/plugin.json": JSON.stringify({ name: "p" }),
      "plugin/skills/x/SKILL.md": text,
    });
    const hub = await box.open();
    await hub.apply(await hub.planInstall(wanted("./src/x", { force: true })));
    await hub.apply(await hub.planInstall(wanted("./plugin", { force: true, names: ["plugin:p"] })));
    await hub.remove(REMOVE_X);
    expect(approved(box)).toHaveLength(1);
    await hub.remove({ ...REMOVE_X, names: ["p"] });
    expect(approved(box)).toEqual([]);
    expect(withdrawals(box)).toMatchObject([{ skill: "p" }]);
  });

  test("goes with its earlier versions", async () => {
    const box = withDangerous();
    const hub = await box.open();
    await hub.apply(await hub.planInstall(wanted("./src/x", { force: true })));
    writeFiles(box.project, { "src/x/SKILL.md": skillText("x", `${BODIES.dangerous}\n\nMore.`) });
    await hub.apply(await hub.planUpdate({ names: [], force: true }), { acceptCapabilities: true });
    expect(approved(box)).toHaveLength(2);
    await hub.remove(REMOVE_X);
    expect(approved(box)).toEqual([]);
    expect(withdrawals(box)).toHaveLength(2);
  });
});

test("what a person was asked about and said yes to stays approved", async () => {
  const box = withDangerous();
  const hub = await box.open({ ask: person("yes").ask });
  await hub.apply(await hub.planInstall(wanted("./src/x")));
  const before = approved(box);
  expect(before).toHaveLength(1);
  await hub.remove(REMOVE_X);
  expect(approved(box)).toEqual(before);
});

test("approvals that cannot be read approve nothing, and keep nothing from being removed", async () => {
  const box = withDangerous(BODIES.safe);
  const hub = await box.open();
  await hub.apply(await hub.planInstall(wanted("./src/x")));
  writeFileSync(approvalPath(box.home), "{");
  expect(await hub.remove(REMOVE_X)).toMatchObject([{ outcome: "removed" }]);
  expect(readFileSync(approvalPath(box.home), "utf8")).toBe("{");
});
