import { parseSkillBytes } from "@skillet/core";
import type { Candidate } from "../candidate/candidate.ts";
import type { SkillWithTools } from "./plan-tools.ts";

/** The skills of a candidate with what they say about tools: itself, or those of a plugin. */
export function skillsWithTools({ name, manifest, parts, files }: Candidate): readonly SkillWithTools[] {
  if (manifest !== undefined) return [{ name, manifest }];
  return (parts?.skills ?? []).flatMap(({ name: inner, folder }) => {
    const prefix = folder === "" ? "" : `${folder}/`;
    const main = files.find(({ path }) => path === `${prefix}SKILL.md` || path === `${prefix}skill.md`);
    const parsed = main && parseSkillBytes(main.bytes, { directoryName: inner }).manifest;
    return parsed === undefined ? [] : [{ name, manifest: parsed }];
  });
}
