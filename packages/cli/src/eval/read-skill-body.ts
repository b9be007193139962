import { parseSkill, type Skill, type Skills } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";

/** The instructions of a skill; undefined where they cannot be read, so that its header alone is left to go by. */
export async function readSkillBody(registry: Skills, skill: Skill): Promise<string | undefined> {
  try {
    const { text } = await registry.readText(skill);
    return parseSkill(text, { directoryName: skill.directoryName }).body;
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    return undefined;
  }
}
