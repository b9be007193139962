import { digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { FaultList } from "../format/fault-list.ts";
import { MAX_SKILL_BYTES } from "../format/format-limits.ts";
import { splitSkill } from "../format/split-skill.ts";
import { pathBelow } from "../registry/read-tree-file.ts";
import type { Skill } from "../registry/skill.ts";
import type { SkillSource } from "../source/skill-source.ts";

/** The text below a skill's header, as the snapshot saw it; undefined where that cannot be had any more. */
export async function readSkillBody(
  source: SkillSource,
  skill: Skill,
  options: { readonly signal?: AbortSignal } = {},
): Promise<string | undefined> {
  const bytes = await readIfThere(source, skill, options);
  // What is indexed is kept by digest: other bytes under this one would stay there.
  if (bytes === undefined || digestBytes(bytes) !== skill.digest) return undefined;
  const text = new TextDecoder().decode(bytes);
  const parts = splitSkill(text, new FaultList(skill.path, "lenient", { isCounting: true }));
  return parts === undefined ? undefined : text.slice(parts.body.start, parts.body.end);
}

async function readIfThere(
  source: SkillSource,
  { source: { folder, file } }: Skill,
  options: { readonly signal?: AbortSignal },
): Promise<Uint8Array | undefined> {
  try {
    const read = await source.read(pathBelow(folder, file), { ...options, maxBytes: MAX_SKILL_BYTES });
    return read.truncated ? undefined : read.bytes;
  } catch (error) {
    // Gone, closed or grown since the snapshot: its header is known, and whoever loads it is told why it cannot be.
    if (SkilletError.isInstance(error)) return undefined;
    throw error;
  }
}
