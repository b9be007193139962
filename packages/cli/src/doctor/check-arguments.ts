import { parseSkill, type Skill, type Skills } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import type { Finding } from "./finding.ts";
import { findPositionalTokens, type PositionalToken } from "./positional-tokens.ts";

// A body may hold hundreds of thousands; whoever mends the first ones knows what to look for.
const MAX_LISTED = 20;

/** Text in bodies that would be taken for a placeholder, such as the price in "costs $5". */
export async function checkArguments(skills: Skills): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const skill of skills.snapshot.skills) {
    // Who declares arguments means the placeholders, and commands are made to be called with some.
    if (skill.manifest.args.names.length > 0 || skill.kind === "command") continue;
    for (const finding of await checkSkill(skills, skill)) findings.push(finding);
  }
  return findings;
}

async function checkSkill(skills: Skills, skill: Skill): Promise<readonly Finding[]> {
  try {
    const { text } = await skills.readText(skill);
    const { body, bodyLine } = parseSkill(text, { mode: "lenient", directoryName: skill.directoryName });
    return describeTokens(skill, body, bodyLine);
  } catch (error) {
    // It changed or went away while doctor ran; discovery reports that the next time.
    if (SkilletError.isInstance(error)) return [];
    throw error;
  }
}

function describeTokens(skill: Skill, body: string, bodyLine: number): readonly Finding[] {
  const listed: PositionalToken[] = [];
  let more = 0;
  for (const token of findPositionalTokens(body)) {
    if (listed.length < MAX_LISTED) listed.push(token);
    else more += 1;
  }
  const findings = listed.map(
    ({ token, line, column }): Finding => ({
      check: "arguments",
      status: "warning",
      message: `${token} in ${skill.qualifiedName} is replaced when it is called with arguments`,
      hint: `Write \\${token} to keep it, or declare arguments in the header.`,
      file: skill.path,
      line: bodyLine + line - 1,
      column,
    }),
  );
  if (more === 0) return findings;
  const message = `${more} more of the same kind in ${skill.qualifiedName}`;
  const hint = "Mend the ones above first; the rest are shown then.";
  return [...findings, { check: "arguments", status: "warning", message, hint, file: skill.path }];
}
