import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { showName } from "@skillet/kit/text";
import type { ResourceIndex } from "../../registry/resource.ts";
import type { Skill } from "../../registry/skill.ts";
import type { SkillReader } from "../skill-reader.ts";

/** A warning where a skill has other files than were trusted; an error where it is not trusted any more at all. */
export async function checkTrust(
  skill: Skill,
  index: ResourceIndex,
  reader: SkillReader,
): Promise<readonly Diagnostic[]> {
  const fault = await reader.findTrustFault(skill, index);
  if (fault === undefined) return [];
  if (fault.kind === "untrusted")
    throw new SkilletError(
      "skill-not-offered",
      `${showName(skill.qualifiedName)} cannot be used: ${fault.reason}.`,
      {
        data: { skill: skill.qualifiedName, state: "untrusted" },
      },
    );
  return [
    {
      code: "trusted-skill-changed",
      severity: "warning",
      message: `The skill was trusted with other files: ${fault.reason}.`,
      file: skill.path,
      hint: "Look at what changed, then run: skillet trust",
    },
  ];
}
