import type { PolicyMode } from "../../config/config.ts";
import type { Narrowing } from "../../policy/narrowing.ts";
import type { Skill } from "../../registry/skill.ts";

/** What a child session takes over from its parent: limits only, never a grant. */
export interface ParentSession {
  readonly runId: string;
  readonly mode: PolicyMode;
  /** The only skills that the child has. */
  readonly skills: ReadonlySet<Skill>;
  /** Every level must cover what the child does. */
  readonly narrowing: readonly (readonly Narrowing[])[];
}
