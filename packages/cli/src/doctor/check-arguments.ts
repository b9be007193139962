import { parseSkill, type Skill, SkilletError, type Skills } from "@skillet/core";
import type { Finding } from "./finding.ts";
import { findPositionalTokens } from "./positional-tokens.ts";

/** Text in bodies that would be taken for a placeholder, such as the price in "costs $5". */
export async function checkArguments(skills: Skills): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const skill of skills.snapshot.skills) {
    // Who declares arguments means the placeholders.
    if (skill.manifest.args.names.length === 0) findings.push(...(await checkSkill(skills, skill)));
  }
  return findings;
}

async function checkSkill(skills: Skills, skill: Skill): Promise<readonly Finding[]> {
  try {
    const { text } = await skills.readText(skill);
    const { body, bodyLine } = parseSkill(text, { mode: "lenient", directoryName: skill.directoryName });
    return findPositionalTokens(body).map(({ token, line, column }) => ({
      check: "arguments",
      status: "warning",
      message: `${token} in ${skill.qualifiedName} is replaced when it is called with arguments`,
      hint: `Write \\${token} to keep it, or declare arguments in the header.`,
      file: skill.path,
      line: bodyLine + line - 1,
      column,
    }));
  } catch (error) {
    // It changed or went away while doctor ran; discovery reports that the next time.
    if (SkilletError.isInstance(error)) return [];
    throw error;
  }
}
