import { makeSkill, writeHeader } from "../../../../select/src/testing/make-skill.ts";
import type { Skill } from "../../registry/skill.ts";

/** A skill in a folder that need not exist. */
export function placeSkill(
  directory: string,
  options: { readonly header?: readonly string[]; readonly separator?: "/" | "\\" } = {},
): Skill {
  const { header = [], separator = "/" } = options;
  const name = directory.slice(directory.lastIndexOf(separator) + 1);
  const skill = makeSkill(writeHeader(name, `Does ${name}. Use for ${name}.`, header));
  return { ...skill, directory, path: `${directory}${separator}SKILL.md`, directoryName: name };
}

/** The skills of the cases: two in a project, one that contains another, one in a home, one on Windows. */
export const SKILLS: readonly Skill[] = [
  placeSkill("/project/.skills/pdf", { header: ["allowed-tools: Bash(qpdf:*) Bash(git:*)"] }),
  placeSkill("/project/.skills/deploy"),
  placeSkill("/project/.skills/suite"),
  placeSkill("/project/.skills/suite/skills/inner"),
  placeSkill("/home/me/.agents/skills/notes"),
  placeSkill("C:\\Users\\Me\\skills\\win", { separator: "\\" }),
];
