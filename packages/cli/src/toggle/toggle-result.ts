import type { Skill, Skills } from "@skillet/core";

/** A switched skill as the JSON document shows it. */
interface ToggleRow {
  readonly name: string;
  readonly qualifiedName: string;
  readonly outcome: "enabled" | "disabled" | "unchanged";
  readonly state: Skill["state"];
  readonly reason?: string;
  readonly file?: string;
}

/** How a skill stands after it was switched, and what that means for others of its name. */
export interface ToggleResult {
  readonly row: ToggleRow;
  /** As it was before; people know it by that name. */
  readonly skill: Skill;
  /** The skill that has its name now. */
  readonly heir?: Skill;
  /** Others of its name that are disabled, where this one was not: perhaps one of them was meant. */
  readonly disabledNamesakes: readonly Skill[];
  /** What was written holds for skills of that name in every project. */
  readonly holdsInEveryProject: boolean;
}

/** Compares a skill before with all skills after it was switched. */
export function toggleResult(
  skill: Skill,
  after: Skills,
  change: {
    readonly enabled: boolean;
    readonly layer: "user" | "project";
    readonly selectBy: "name" | "folder";
    /** The config file, where one was changed. */
    readonly file?: string;
  },
): ToggleResult {
  const { skills } = after.snapshot;
  const { enabled, layer, selectBy, file } = change;
  const now = skills.find(({ path }) => path === skill.path) ?? skill;
  const heir = skills.find((other) => other !== now && other.qualifiedName === skill.qualifiedName);
  const ofProject = skill.scope === "project" || skill.scope === "claude";
  return {
    skill,
    row: {
      name: skill.name,
      qualifiedName: now.qualifiedName,
      outcome: file === undefined ? "unchanged" : enabled ? "enabled" : "disabled",
      state: now.state,
      ...(now.reason !== undefined && { reason: now.reason }),
      ...(file !== undefined && { file }),
    },
    ...(heir && { heir }),
    disabledNamesakes: enabled && file === undefined ? disabledNamesakes(skills, now) : [],
    holdsInEveryProject:
      !enabled && file !== undefined && layer === "user" && selectBy === "name" && ofProject,
  };
}

/** Whether a skill stands as it was asked for. */
export function isAsWanted({ row }: ToggleResult, { enabled }: { readonly enabled: boolean }): boolean {
  return (row.state === "disabled") !== enabled;
}

function disabledNamesakes(skills: readonly Skill[], skill: Skill): readonly Skill[] {
  if (skill.qualifiedName !== skill.name) return [];
  return skills.filter((other) => other.name === skill.name && other.state === "disabled");
}
