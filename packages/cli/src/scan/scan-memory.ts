import { join } from "node:path";
import type { Skill, Skills, SkillToVet } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import { canonicalPath } from "@skillet/kit/files";
import type { ScannedSkill } from "@skillet/scan";
import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../context/command-context.ts";
import { openRegistry, openVetter, toVet } from "../context/open-registry.ts";
import { type ScanTarget, targetFile } from "./find-targets.ts";
import type { ScanInputs } from "./read-scan-inputs.ts";

/** Lets sessions and lists of skills know what a scan said about skills in their places. */
export interface ScanMemory {
  /** The skill that a target is, where it lies in a place that Skillet knows. */
  skillOf(target: ScanTarget): SkillToVet | undefined;
  keep(skill: SkillToVet, scanned: ScannedSkill): Promise<void>;
  /** Writes what was kept. */
  flush(): Promise<void>;
}

/** Opens the memory of a scan; undefined where the scan judges in another way than sessions do. */
export async function openScanMemory(
  context: CommandContext,
  inputs: ScanInputs,
  registry: Skills | undefined,
): Promise<ScanMemory | undefined> {
  const { sessionRuleSet } = inputs;
  if (sessionRuleSet === undefined) return undefined;
  const skills = registry ?? (await openIfPossible(context));
  if (skills === undefined) return undefined;
  const vetter = await openVetter(context, skills);
  const known = new Map(skills.snapshot.skills.map((skill) => [fileOf(skill), skill]));
  return {
    skillOf: (target) => {
      const skill = known.get(targetFile(target));
      return skill && isSameExtent(skill, target) ? toVet(skills, skill) : undefined;
    },
    keep: (skill, scanned) =>
      vetter.keep(skill, { ...scanned, report: { ...scanned.report, ruleSet: sessionRuleSet } }),
    flush: () => vetter.flush(),
  };
}

// A scan of a folder needs no skills of the user's; where they cannot be found, nothing is kept.
async function openIfPossible(context: CommandContext): Promise<Skills | undefined> {
  try {
    return await openRegistry(context);
  } catch (error) {
    if (SkilletError.isInstance(error) || error instanceof CliError) return undefined;
    throw error;
  }
}

function fileOf({ directory, source }: Skill): string {
  return join(canonicalPath(directory), source.file);
}

// A SKILL.md that was named as a plain file is scanned without what lies beside it.
function isSameExtent({ kind }: Skill, { extent }: ScanTarget): boolean {
  return (kind === "command") === (extent === "file");
}
