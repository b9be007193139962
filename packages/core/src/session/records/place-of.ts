import type { Skill } from "../../registry/skill.ts";
import type { RecordedPlace } from "./session-record.ts";

/** Where a skill lies, as records say it. */
export function placeOf(skill: Skill): RecordedPlace {
  const { id, folder } = skill.source;
  return { sourceId: id, folder, skillPath: skill.path, skillDir: skill.directory };
}
