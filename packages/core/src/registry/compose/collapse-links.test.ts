import { expect, test } from "vitest";
import { MemorySource } from "../../source/memory-source.ts";
import { DiscoveredSkill } from "../scan/discovered-skill.ts";
import { SkillTable } from "../scan/skill-table.ts";
import type { SkillRoot } from "../skill-root.ts";
import { collapseLinks } from "./compose-snapshot.ts";

test("links to one skill are folded at a cost that grows with their number, not with its square", () => {
  // Copying the list of places for each of so many links would take minutes.
  const count = 300_000;
  const source = new MemorySource({});
  const root: SkillRoot = { scope: "user", origin: "local", source, path: "", trust: { kind: "trusted" } };
  const table = new SkillTable();
  const links = Array.from(
    { length: count },
    (_, index) =>
      new DiscoveredSkill(
        root,
        { folder: `s${index}`, file: "SKILL.md", linkedFile: "/farm/SKILL.md" },
        { table, row: 0 },
      ),
  );
  const kept = collapseLinks(links);
  expect(kept.map(({ path, alsoAt }) => [path, alsoAt.length, alsoAt.at(-1)])).toEqual([
    ["memory:/s0/SKILL.md", count, `memory:/s${count - 1}/SKILL.md`],
  ]);
});
