import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { SkillSource } from "../source/skill-source.ts";
import type { TrustedSkill } from "../trust/trust-store.ts";
import type { Origin, Scope } from "./skill.ts";

/** A source of skills and what its place says about them; roots come highest precedence first. */
export interface SkillRoot {
  readonly scope: Scope;
  readonly origin: Origin;
  readonly source: SkillSource;
  /** For people and reports. */
  readonly path: string;
  readonly trust: RootTrust;
  /** Why the root is not searched at all. */
  readonly refusal?: Diagnostic;
}

/** Whether the skills of a root may be offered. */
export type RootTrust =
  | { readonly kind: "trusted" }
  | { readonly kind: "untrusted"; readonly project: string }
  /** A trusted project: what it held when it was trusted, by path; what came later is not covered. */
  | {
      readonly kind: "held";
      readonly project: string;
      /** By the folder of a skill, or the file of a command. */
      readonly skillAt: (path: string) => TrustedSkill | undefined;
    };
