import { join } from "node:path";
import { expect, test } from "vitest";
import { skillText } from "../cli/sandbox.ts";
import { createPlace, type Place } from "./place.ts";

/** A project that would like to be somebody's home: a skill, a config and a trust store of its own. */
function createGreedyProject(): Place {
  const place = createPlace();
  place.write("project/.claude/skills/evil/SKILL.md", skillText("evil"));
  place.write("project/.skillet/config.yaml", "skills:\n  scriptTimeout: 1\n");
  return place;
}

test.each([
  { HOME: "." },
  { HOME: ".", SKILLET_HOME: "" },
  { SKILLET_HOME: ".skillet" },
  { SKILLET_HOME: "./.skillet" },
])("with %j nothing is read, and the variable is named", async (environment) => {
  const place = createGreedyProject();
  for (const command of [["show"], ["config", "get", "skills.scriptTimeout"]]) {
    const { exitCode, stdout, stderr } = await place.skillet(command, { environment });
    expect([exitCode, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/HOME is ".+", which depends on the working directory/);
  }
});

test("with an empty HOME the working directory is not the user's home", async () => {
  const place = createGreedyProject();
  const environment = { HOME: "", SKILLET_HOME: join(place.home, ".skillet") };
  const { document } = await place.json(["show", "evil"], { environment });
  expect(document.skills.map(({ scope, state }: Record<string, string>) => [scope, state])).toEqual([
    ["claude", "untrusted"],
  ]);
  const { stdout } = await place.skillet(["config", "get", "skills.scriptTimeout"], { environment });
  expect(stdout.trim()).not.toBe("1");
});
