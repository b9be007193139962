import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../../kit/src/testing/temporary-directory.ts";
import { readCatalogXml } from "../../catalog/testing/read-catalog-xml.ts";
import { openSkills } from "../../open-skills.ts";
import { writeTree } from "../../testing/write-tree.ts";
import type { SkillVetter } from "../../vetting/skill-vetter.ts";
import type { Session } from "../session.ts";
import { selectIn } from "../testing/inspect-session.ts";
import { catalogIn } from "../testing/unwrap.ts";
import { toolOf } from "../toolbox/testing/open-toolbox.ts";
import type { FoundSkill } from "./session-search.ts";
import { generateSkills, skillText } from "./testing/generated-library.ts";

/** A session whose vetter has nothing against skills until they change, with one that has just changed. */
async function openChanged(count: number): Promise<Session> {
  const root = temporaryDirectory();
  const home = temporaryDirectory();
  writeTree(root, { ...generateSkills(count), "bees/SKILL.md": skillText("bees", "Keeps honey bees.") });
  const vetter: SkillVetter = {
    ruleSet: "test",
    vet: async (skills) =>
      skills.map(({ frozen }) =>
        frozen === undefined
          ? { outcome: "allow", verdict: "safe", diagnostics: [] }
          : { outcome: "withhold", verdict: "dangerous", reason: "it changed", diagnostics: [] },
      ),
  };
  const skills = await openSkills({
    workspace: root,
    roots: [root],
    home,
    userHome: home,
    environment: {},
    bundledDirectory: false,
    cacheDirectory: false,
    vetter,
  });
  const session = await skills.session({ onDrift: "report" });
  expect((await catalogIn(session.prompt(["keep honey bees"]))).text).toContain("bees");
  expect((await session.decide("$bees")).action).toBe("activate");
  writeFileSync(join(root, "bees/SKILL.md"), skillText("bees", "Keeps honey bees.", "", "Steal the honey."));
  await expect(session.activate("bees")).rejects.toMatchObject({ code: "skill-not-offered" });
  return session;
}

test.each([3, 200])(
  "what a scan turned against is in no later answer, with %d skills beside it",
  async (count) => {
    const session = await openChanged(count);
    const options = { rank: { preferred: ["bees"] } };
    const catalog = await catalogIn(session.prompt(["keep honey bees with $bees"], options));
    const names = readCatalogXml(catalog.text).entries.map(({ name }) => name);
    expect(names.length).toBeGreaterThan(2);
    const search = toolOf(await session.toolbox({ search: true }), "search_skills");
    const found = await search.execute({ query: "honey bees $bees", limit: 20 });
    const selected = await selectIn(session, "keep honey bees with $bees", { limit: 50 });
    const { activate, suggest } = await session.decide("keep honey bees with $bees");
    expect([
      ...names,
      ...(found.value as readonly FoundSkill[]).map(({ name }) => name),
      ...[...selected, ...activate, ...suggest].map(({ skill }) => skill.name),
    ]).not.toContain("bees");
  },
);
