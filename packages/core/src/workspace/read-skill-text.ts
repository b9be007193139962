import { digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { MAX_SKILL_BYTES } from "../format/format-limits.ts";
import type { Skill } from "../registry/skill.ts";
import type { SkillSource } from "../source/skill-source.ts";

/** The text of a SKILL.md as it is now. */
export interface SkillText {
  readonly text: string;
  /** Whether the bytes are no longer those the snapshot saw. */
  readonly drifted: boolean;
}

/** Reads a skill's file through its source and compares it with the snapshot. */
export async function readSkillText(
  source: SkillSource,
  skill: Skill,
  options: { readonly signal?: AbortSignal } = {},
): Promise<SkillText> {
  const { folder, file } = skill.source;
  const { bytes, truncated } = await source.read(folder === "" ? file : `${folder}/${file}`, {
    ...options,
    maxBytes: MAX_SKILL_BYTES,
  });
  if (truncated)
    throw new SkilletError(
      "skill-too-large",
      `${skill.path} has grown beyond ${MAX_SKILL_BYTES} bytes and is not read.`,
      {
        data: { path: skill.path },
      },
    );
  return { text: new TextDecoder().decode(bytes), drifted: digestBytes(bytes) !== skill.digest };
}
