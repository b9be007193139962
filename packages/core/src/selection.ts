import type * as select from "@skillet/select";
import type { Skill } from "./registry/skill.ts";

export type { SelectContext, SelectOptions } from "@skillet/select";

/** A skill that a message may be about, how likely it is that it is wanted, and why. */
export type SelectedSkill = select.SelectedSkill<Skill>;

/** The decision about a message: activate skills, suggest some, or do nothing. */
export type SelectionDecision = select.SelectionDecision<Skill>;

/** Ranks the skills of a snapshot against messages. */
export type Selector = select.Selector<Skill>;

/** Options of a selector. */
export type SelectorOptions = select.SelectorOptions<Skill>;
