import { type Skill, tokenCost } from "@skillet/core";
import { type DiagnosticRow, diagnosticRow } from "./diagnostic-row.ts";

/** A skill as the JSON documents show it. */
export interface SkillRow {
  readonly name: string;
  readonly qualifiedName: string;
  readonly description: string;
  readonly scope: Skill["scope"];
  readonly path: string;
  readonly state: Skill["state"];
  readonly reason?: string;
  /** Who may invoke it, once its state allows it at all. */
  readonly invocation: { readonly model: boolean; readonly user: boolean };
  readonly digest: string;
  readonly tokens: { readonly catalog: number; readonly body: number };
  readonly diagnostics: readonly DiagnosticRow[];
}

/** The row of a skill in `show --json`, which `explain --json` extends. */
export function skillRow(skill: Skill): SkillRow {
  return {
    name: skill.name,
    qualifiedName: skill.qualifiedName,
    description: skill.manifest.description,
    scope: skill.scope,
    path: skill.path,
    state: skill.state,
    ...(skill.reason !== undefined && { reason: skill.reason }),
    invocation: { model: skill.manifest.invocation.model, user: skill.manifest.invocation.user },
    digest: skill.digest,
    tokens: tokenCost(skill),
    diagnostics: skill.diagnostics.map(diagnosticRow),
  };
}
