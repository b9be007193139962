import { isInside } from "@skillet/kit/files";
import { LocalSource } from "../../source/local/local-source.ts";
import type { DiscoveredSkill } from "../scan/discovered-skill.ts";
import { hostFileOf } from "../skill.ts";
import type { ScannedRoot } from "./compose-snapshot.ts";

/** Lists a skill once that several links or roots lead to; the first root keeps it, under its real path if it has one. */
export function collapseLinks(
  roots: readonly ScannedRoot[],
  skills: readonly DiscoveredSkill[],
): readonly DiscoveredSkill[] {
  if (!mayRepeat(roots)) return skills;
  const byFile = new Map<string, number>();
  const kept: DiscoveredSkill[] = [];
  for (const skill of skills) {
    const file = skill.canonicalFile;
    const place = byFile.get(file);
    const first = place === undefined ? undefined : kept[place];
    if (place === undefined || first === undefined) {
      byFile.set(file, kept.length);
      kept.push(skill);
    } else if (skill.root === first.root && hostFileOf(skill) === file) {
      skill.fold(first);
      kept[place] = skill;
    } else first.fold(skill);
  }
  return kept;
}

// Comparing a hundred thousand paths costs as much as reading the names; most roots hold no links and do not overlap.
function mayRepeat(roots: readonly ScannedRoot[]): boolean {
  const folders = roots.flatMap(({ root }) =>
    root.source instanceof LocalSource ? [root.source.canonicalRoot] : [],
  );
  return (
    roots.some(({ scan }) => scan.followedLinks) ||
    folders.some((folder, index) =>
      folders.some((other, place) => place !== index && isInside(folder, other)),
    )
  );
}
