import type { Skill, Skills } from "@skillet/core";
import { withheldReason } from "@skillet/scan";
import type { CommandContext } from "../command-context.ts";
import type { ShownVerdict } from "../scan/known-verdicts.ts";
import { openVetter, toVet } from "../scan/open-vetter.ts";

/** What a scan says of a skill that is about to be trusted. */
export interface JudgedSkill extends ShownVerdict {
  readonly skill: Skill;
  /** The worst findings, each with its rule and place. */
  readonly findings: readonly string[];
}

const WORST_FIRST = ["unknown", "dangerous", "caution", "safe"];

/** Scans the skills of a folder before somebody trusts it, where they are not known yet; the worst come first. */
export async function judgeFolder(
  context: CommandContext,
  skills: Skills,
  held: readonly Skill[],
): Promise<readonly JudgedSkill[]> {
  const vetter = await openVetter(context, skills);
  // All at once, which shows how far it is and keeps what is found for lists and sessions.
  const answers = await vetter.vet(held.map((skill) => toVet(skills, skill)));
  const judged: JudgedSkill[] = [];
  for (const [index, skill] of held.entries()) {
    const { verdict = "unknown", reason } = answers[index] ?? {};
    if (verdict === "safe") {
      judged.push({ skill, verdict, findings: [] });
      continue;
    }
    const inspection = await vetter.inspect(toVet(skills, skill));
    if ("problem" in inspection)
      judged.push({ skill, verdict: "unknown", withheld: inspection.problem, findings: [] });
    else
      judged.push({
        skill,
        verdict,
        ...(inspection.approved && { approved: true }),
        ...(reason !== undefined && {
          withheld: withheldReason({ name: lastingName(skills, skill) }, inspection),
        }),
        findings: inspection.known.findings.map(
          ({ rule, file, line, message }) => `${rule} at ${file}:${line}: ${message}`,
        ),
      });
  }
  return judged.sort((left, right) => rank(left) - rank(right));
}

function rank({ verdict }: JudgedSkill): number {
  return WORST_FIRST.indexOf(verdict);
}

// Trust can move a name from one skill to another, and the command must still be about this one.
function lastingName({ snapshot }: Skills, skill: Skill): string {
  const isShared = snapshot.skills.some((other) => other !== skill && other.name === skill.name);
  return isShared ? skill.path : skill.qualifiedName;
}
