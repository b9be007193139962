import type * as select from "@skillet/select";
import type { Skill } from "./registry/skill.ts";

export type { SelectContext, SelectOptions } from "@skillet/select";

/** A skill that a message may be about, how likely it is that it is wanted, and why. */
export type SelectedSkill = select.SelectedSkill<Skill>;

/** What to do about a message: use these skills, name those, or nothing. */
export type SelectionDecision = select.SelectionDecision<Skill>;

/** Ranks the skills of a snapshot against messages. */
export type Selector = select.Selector<Skill>;

/** What a selector is made with. */
export type SelectorOptions = select.SelectorOptions<Skill>;
