import { type Skill, tokenCost } from "@skillet/core";
import type { InstalledSource } from "@skillet/hub";
import type { ShownVerdict } from "../scan/known-verdicts.ts";
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
  /** What the scan said of it as it is now; absent where it was not scanned. */
  readonly verdict?: string;
  /** There where only somebody's yes to exactly these bytes lets it be offered. */
  readonly approved?: true;
  /** There, as false, where what the scan said keeps it back. */
  readonly offered?: false;
  /** Why the scan keeps it back, with the command that helps. */
  readonly withheld?: string;
  /** Where it was installed from, by your own lock; absent for what nobody installed. */
  readonly installed?: Pick<InstalledSource, "source" | "resolved" | "pinned">;
  readonly tokens: { readonly catalog: number; readonly body: number };
  readonly diagnostics: readonly DiagnosticRow[];
}

/** The row of a skill in `show --json`, which `explain --json` extends. */
export function skillRow(skill: Skill, known?: ShownVerdict, installed?: InstalledSource): SkillRow {
  const reason = skill.reason ?? known?.withheld;
  return {
    name: skill.name,
    qualifiedName: skill.qualifiedName,
    description: skill.manifest.description,
    scope: skill.scope,
    path: skill.path,
    state: skill.state,
    ...(reason !== undefined && { reason }),
    invocation: { model: skill.manifest.invocation.model, user: skill.manifest.invocation.user },
    digest: skill.digest,
    ...(known !== undefined && { verdict: known.verdict }),
    ...(known?.approved === true && { approved: true }),
    ...(known?.withheld !== undefined && { offered: false, withheld: known.withheld }),
    ...(installed !== undefined && { installed: installedRow(installed) }),
    tokens: tokenCost(skill),
    diagnostics: skill.diagnostics.map(diagnosticRow),
  };
}

function installedRow({ source, resolved, pinned }: InstalledSource): NonNullable<SkillRow["installed"]> {
  return { source, resolved, ...(pinned !== undefined && { pinned }) };
}
