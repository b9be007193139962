import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { approvalPath, auditPath, readApprovals } from "@skillet/core/internal";
import type { Digest } from "@skillet/kit/digest";
import type { SkilletError } from "@skillet/kit/errors";
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

describe("a user whose agent keeps its skills elsewhere by now", () => {
  test.each(["copy", "link"] as const)("can still remove a %s that was installed there", async (how) => {
    const { remove, placed, hub } = await installedElsewhere(how);
    await remove();
    expect([existsSync(placed), (await hub.list()).skills.size]).toEqual([false, 0]);
  });

  test("keeps what was edited there, and is told what to do", async () => {
    const { remove, placed, hub } = await installedElsewhere("copy");
    writeFileSync(join(placed, "SKILL.md"), "my own words");
    const error = await remove().then(
      () => expect.fail("nothing was thrown"),
      (thrown: SkilletError) => thrown,
    );
    expect([error.code, error.message.includes("variables")]).toEqual(["target-refused", true]);
    expect([readFileSync(join(placed, "SKILL.md"), "utf8"), (await hub.list()).skills.size]).toEqual([
      "my own words",
      1,
    ]);
  });
});

/** A skill that Claude Code got while a variable named its folder, and a hub that does not see the variable. */
async function installedElsewhere(agentTargets: "copy" | "link") {
  const sandbox = hubSandbox();
  const claude = join(sandbox.folder, "claude");
  mkdirSync(claude);
  const source = join(sandbox.folder, "src/pdf");
  writeFiles(source, { "SKILL.md": skillText("pdf", BODIES.safe) });
  const environment = { PATH: process.env.PATH, HOME: sandbox.userHome, CLAUDE_CONFIG_DIR: claude };
  const then = await sandbox.openUser({ environment });
  const request = wanted(source, { agents: ["claude-code"], agentTargets });
  await then.apply(await then.planInstall(request), { acceptCapabilities: true });
  const placed = join(claude, "skills/pdf");
  expect(existsSync(join(placed, "SKILL.md"))).toBe(true);
  const hub = await sandbox.openUser();
  const remove = () => hub.remove({ names: ["pdf"], discardEdits: true, dryRun: false });
  return { hub, placed, remove };
}

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

describe("what someone let in by force", () => {
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

  test("stays approved where a person gave a reason", async () => {
    const box = withDangerous();
    const hub = await box.open();
    await hub.apply(await hub.planInstall(wanted("./src/x", { force: true })));
    const text = readFileSync(approvalPath(box.home), "utf8");
    writeFileSync(approvalPath(box.home), text.replace('"forced":', '"reason": "mine", "forced":'));
    await hub.remove(REMOVE_X);
    expect([approved(box).length, withdrawals(box)]).toEqual([1, []]);
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
    // The skill and the plugin, which is restored whole.
    expect(approved(box)).toHaveLength(2);
    await hub.remove({ ...REMOVE_X, names: ["p"] });
    expect(approved(box)).toEqual([]);
    expect(withdrawals(box)).toMatchObject([{ skill: "p" }, { skill: "p" }]);
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
