import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSandbox, type Document, type Sandbox, skillText } from "./sandbox.ts";

/** A plugin with one skill, which the config lists. */
function configured(more = ""): Sandbox {
  const sandbox = createSandbox();
  sandbox.write("kit/.claude-plugin/plugin.json", '{"name":"kit"}');
  sandbox.write("kit/skills/sums/SKILL.md", skillText("sums"));
  list(sandbox, `    - url: ${join(sandbox.root, "kit")}\n${more}`);
  return sandbox;
}

function list(sandbox: Sandbox, plugins: string): void {
  sandbox.write("home/.skillet/config.yaml", `skills:\n  plugins:\n${plugins}`);
}

const lockOf = (sandbox: Sandbox): string => readFileSync(join(sandbox.home, ".skillet/lock.json"), "utf8");
const outcomes = ({ results }: Document) =>
  results.map(({ name, outcome }: { name: string; outcome: string }) => [name, outcome]);
const missing = async (sandbox: Sandbox): Promise<readonly unknown[]> => {
  const { document } = await sandbox.json(["doctor"]);
  return document.findings.filter(({ check }: { check: string }) => check === "plugins");
};

describe("a plugin in skills.plugins that is not installed", () => {
  test("is offered by install, which installs it once and then leaves it", async () => {
    const sandbox = configured();
    const dry = await sandbox.json(["install", "--dry-run"]);
    expect([dry.exitCode, outcomes(dry.document)]).toEqual([0, [["kit", "installed"]]]);
    expect(existsSync(join(sandbox.home, ".skillet/plugins/kit"))).toBe(false);
    const first = await sandbox.json(["install", "--yes"]);
    expect([first.exitCode, outcomes(first.document)]).toEqual([0, [["kit", "installed"]]]);
    const again = await sandbox.json(["install", "--yes"]);
    expect([again.exitCode, outcomes(again.document)]).toEqual([0, [["kit", "unchanged"]]]);
  });

  test("is installed under the name that the config gives it", async () => {
    const sandbox = configured("      name: toolbox\n");
    const { document } = await sandbox.json(["install", "--yes"]);
    expect(outcomes(document)).toEqual([["toolbox", "installed"]]);
    expect(outcomes((await sandbox.json(["install", "--yes"])).document)).toEqual([["toolbox", "unchanged"]]);
  });

  test("is left alone where it is turned off, by a frozen install and by that of a project", async () => {
    const off = configured("      enabled: false\n");
    expect(outcomes((await off.json(["install", "--yes"])).document)).toEqual([]);
    expect(await missing(off)).toEqual([]);
    const on = configured();
    on.write("home/.skillet/lock.json", '{ "lockVersion": 1, "skills": {} }\n');
    expect(outcomes((await on.json(["install", "--frozen"])).document)).toEqual([]);
    expect(outcomes((await on.json(["install", "--project", "--yes"])).document)).toEqual([]);
  });

  test("does not stop what the lock says where it cannot be fetched", async () => {
    const sandbox = configured();
    await sandbox.json(["install", "--yes"]);
    rmSync(join(sandbox.home, ".skillet/plugins/kit"), { recursive: true });
    list(sandbox, `    - url: ${join(sandbox.root, "nowhere")}\n`);
    const { exitCode, document } = await sandbox.json(["install", "--yes"]);
    expect(exitCode).toBe(1);
    expect(outcomes(document)).toEqual([
      ["kit", "restored"],
      ["nowhere", "failed"],
    ]);
  });

  test("is named by doctor, with the command that installs it", async () => {
    const sandbox = configured();
    expect(await missing(sandbox)).toEqual([
      {
        check: "plugins",
        status: "warning",
        message: "kit is listed in skills.plugins but not installed",
        hint: "Install it with `skillet install`, or take it out of the list.",
        file: join(sandbox.home, ".skillet/config.yaml"),
      },
    ]);
    await sandbox.skillet(["install", "--yes"]);
    expect(await missing(sandbox)).toEqual([]);
  });
});

describe("the time of an install", () => {
  test("stands in your lock, and stays while the files do", async () => {
    const sandbox = configured();
    await sandbox.json(["install", "--yes"]);
    const lock = lockOf(sandbox);
    const { installedAt } = JSON.parse(lock).skills.kit;
    expect(new Date(installedAt).toISOString()).toBe(installedAt);
    rmSync(join(sandbox.home, ".skillet/plugins/kit"), { recursive: true });
    for (const args of [
      ["install", "--frozen"],
      ["update", "--yes"],
      ["install", "--yes"],
    ]) {
      expect((await sandbox.json(args)).exitCode).toBe(0);
      expect(lockOf(sandbox)).toBe(lock);
    }
    sandbox.write("kit/skills/sums/SKILL.md", skillText("sums", "Adds numbers. Use for sums."));
    expect(outcomes((await sandbox.json(["update", "--yes"])).document)).toEqual([["kit", "updated"]]);
    expect(JSON.parse(lockOf(sandbox)).skills.kit.installedAt > installedAt).toBe(true);
  });

  test("is not in a project's lock, which is the same for everyone", async () => {
    const sandbox = configured();
    await sandbox.json(["install", "../kit", "--skill", "plugin:kit", "--project", "--yes"]);
    const lock = readFileSync(join(sandbox.project, "skillet.lock"), "utf8");
    expect(lock).toContain('"kit"');
    expect(lock).not.toContain("installedAt");
  });
});
