import type { PolicyMode } from "../../config/config.ts";
import type { Narrowing } from "../../policy/narrowing.ts";
import type { Skill } from "../../registry/skill.ts";
import type { AllowedScript } from "../run/script-allowlist.ts";
import type { SessionVetting } from "../vetting/session-vetting.ts";

/** What a child session takes over from its parent: limits, and the scripts that it was given by name. */
export interface ParentSession {
  readonly runId: string;
  readonly mode: PolicyMode;
  /** The only skills that the child has. */
  readonly skills: ReadonlySet<Skill>;
  /** Every level must cover what the child does. */
  readonly narrowing: readonly (readonly Narrowing[])[];
  /** Each is on the parent's own list. */
  readonly scripts: readonly AllowedScript[];
  /** The folders that no script may write, the parents' records among them. */
  readonly protect: readonly string[];
  /** What was said about the skills, which are the same ones. */
  readonly vetting: SessionVetting;
}
