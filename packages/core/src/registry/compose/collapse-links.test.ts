import { expect, test } from "vitest";
import { parseSkill } from "../../format/parse-skill.ts";
import { MemorySource } from "../../source/memory-source.ts";
import { skillText } from "../../testing/write-tree.ts";
import type { ScannedSkill, SourceScan } from "../scan/scanned-skill.ts";
import type { SkillRoot } from "../skill-root.ts";
import { collapseLinks } from "./collapse-links.ts";
import { ComposedSkill } from "./composed-skill.ts";

test("links to one skill are folded at a cost that grows with their number, not with its square", () => {
  // Copying the list of places for each of so many links would take minutes.
  const count = 300_000;
  const source = new MemorySource({});
  const root: SkillRoot = { scope: "user", origin: "local", source, path: "", trust: { kind: "trusted" } };
  const scan: SourceScan = { skills: [], diagnostics: [], failed: 0, followedLinks: true, plugins: [] };
  const links = Array.from(
    { length: count },
    (_, index) => new ComposedSkill(linkTo("/farm/SKILL.md", `s${index}`), root, undefined),
  );
  const kept = collapseLinks([{ root, state: "scanned", scan }], links);
  expect(kept.map(({ path, alsoAt }) => [path, alsoAt.length, alsoAt.at(-1)])).toEqual([
    ["memory:/s0/SKILL.md", count - 1, `memory:/s${count - 1}/SKILL.md`],
  ]);
});

const { manifest } = parseSkill(skillText("same"));

function linkTo(canonicalFile: string, folder: string): ScannedSkill {
  if (manifest === undefined) throw new Error("the skill does not parse");
  return {
    ...{ folder, file: "SKILL.md", canonicalFile, name: "same", manifest, isCommand: false },
    ...{
      bodyCharacters: 0,
      digest: "sha256:",
      settingsDigest: undefined,
      gating: undefined,
      diagnostics: [],
    },
  };
}
