import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { SkillVerdict } from "./run-code.ts";
import type { VerifiedSkill } from "./verified-skill.ts";

const HINTS: Readonly<Record<Exclude<SkillVerdict, "run-unchanged">, string>> = {
  "run-root-moved": "Resume with reload to activate it from there, or move it back.",
  "run-resource-changed": "Read the change, then resume with reload, or put the files back.",
  "run-body-changed": "Read the change, then resume with reload, or put the file back.",
  "run-skill-unverified": "Make every file of the skill readable, then try again.",
  "run-skill-withheld": "See why: skillet explain, or start a new run without it.",
  "run-skill-gone": "Put the skill back, or start a new run without it.",
};

/** A skill's drift as a diagnostic; nothing for a skill that is what it was. */
export function describeDrift({ name, code, reason, activations }: VerifiedSkill): Diagnostic[] {
  if (code === "run-unchanged") return [];
  return [
    {
      code,
      severity: "warning",
      message: `Since it was activated, ${name} ${reason}.`,
      file: activations.at(-1)?.skillPath ?? name,
      hint: HINTS[code],
    },
  ];
}
