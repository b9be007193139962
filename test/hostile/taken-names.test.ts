import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { skillText } from "../cli/sandbox.ts";
import { createPlace } from "./place.ts";

describe("an untrusted skill takes no qualified name", () => {
  test("by declaring it", async () => {
    const place = createPlace();
    place.write("organisation/skills/mine/SKILL.md", skillText("mine", "The organisation's."));
    place.write("project/.agents/skills/thief/SKILL.md", skillText('"user:mine"'));
    const skills = await place.open();
    const mine = skills.snapshot.skills.find(({ scope }) => scope === "user");
    expect(mine?.qualifiedName).toBe("user:mine");
  });

  test("by a plugin that is called like a scope", async () => {
    const place = createPlace();
    place.write("bundled/gh/SKILL.md", skillText("gh"));
    place.write("project/.agents/skills/.claude-plugin/plugin.json", '{"name":"bundled"}');
    place.write("project/.agents/skills/gh/SKILL.md", skillText("gh", "Not the bundled one."));
    const skills = await place.open({ bundledDirectory: join(place.root, "bundled") });
    const found = skills.find("bundled:gh");
    expect(found.kind === "found" && found.skill.scope).toBe("bundled");
  });
});
