import type { CommandExpansionPart, ProcessSubstitutionPart } from "unbash";
import type { Span } from "./explained-text.ts";
import type { ShellAct } from "./shell-act.ts";

/** A walk over one script: what it found so far, and the way into scripts inside it. */
export interface ShellWalk {
  readonly acts: ShellAct[];
  /** Text that the walk has accounted for. */
  readonly spans: Span[];
  /** Something may run that the walk does not see. */
  hidden(reason: string): void;
  /** Everything is seen, but something changes what it means. */
  altered(reason: string): void;
  substitution(part: CommandExpansionPart | ProcessSubstitutionPart): void;
}
