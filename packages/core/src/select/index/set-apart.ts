import type { IndexPart, SkillIndex } from "./skill-index.ts";

/** The same index with some of its skills apart: they are looked for beside the others and take nobody's place. */
export function setApart(index: SkillIndex, isApart: (key: string) => boolean): SkillIndex {
  let hasApart = false;
  const parts = index.parts.map((part): IndexPart => {
    const apart: number[] = [];
    part.segment.keys.forEach((key, skill) => {
      if (part.alive?.[skill] !== 0 && isApart(key)) apart.push(skill);
    });
    if (apart.length === 0) return part;
    hasApart = true;
    return { ...part, apart: Uint16Array.from(apart) };
  });
  return hasApart ? { ...index, parts } : index;
}
