import type { MissingRequirement, Skill } from "@skillet/core";

/** One thing a skill needs, and whether it is here. */
export interface RequirementRow {
  readonly kind: MissingRequirement["kind"];
  /** One name, or for any-of requirements all that would do. */
  readonly names: readonly string[];
  readonly met: boolean;
  /** What its absence is called, where it is absent. */
  readonly message?: string;
}

/** Everything that keeps a skill from being offered when it is missing, in the order it is checked. */
export function requirementRows(skill: Skill): readonly RequirementRow[] {
  const { gating } = skill.manifest;
  const each = (kind: RequirementRow["kind"], names: readonly string[]): RequirementRow[] =>
    names.map((name) => row(skill, kind, [name]));
  const any = (kind: RequirementRow["kind"], names: readonly string[]): RequirementRow[] =>
    names.length === 0 ? [] : [row(skill, kind, names)];
  return [
    ...any("platform", gating.os),
    ...each("command", gating.bins),
    ...any("any-command", gating.anyBins),
    ...each(
      "environment",
      gating.env.filter(({ optional }) => optional !== true).map(({ name }) => name),
    ),
    ...each("config", gating.config),
    ...each("credential-file", gating.credentialFiles),
    ...each(
      "mcp",
      gating.mcp.map(({ name }) => name),
    ),
    ...each("skill", gating.skills),
    ...each("tool", [...gating.requiresTools, ...gating.requiresToolsets]),
  ];
}

function row(skill: Skill, kind: RequirementRow["kind"], names: readonly string[]): RequirementRow {
  const missing = skill.missing.find(
    (candidate) => candidate.kind === kind && names.some((name) => candidate.names.includes(name)),
  );
  return { kind, names, met: missing === undefined, ...(missing && { message: missing.message }) };
}
