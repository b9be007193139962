import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SkilletError } from "@skillet/kit/errors";
import { describe, expect, test } from "vitest";
import { BODIES, hubSandbox, skillText, wanted, writeFiles } from "../testing/hub-sandbox.ts";

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
