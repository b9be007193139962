export const SKILL_FILE = "SKILL.md";

/** Whether a file is a skill's main file: the standard spelling, or the lower-case one with a warning. */
export function isSkillFileName(name: string): boolean {
  return name === SKILL_FILE || name === "skill.md";
}

/** The spelling in some clients' documentation; the file can also be a list of skills. */
export const PLURAL_FILE = "SKILLS.md";

/** Whether a name is another spelling of SKILL.md, which is reported and not loaded. */
export function isMisspelledSkillFile(name: string): boolean {
  if (name === PLURAL_FILE) return true;
  return name.length === SKILL_FILE.length && !isSkillFileName(name) && name.toLowerCase() === "skill.md";
}
