import type { Skill } from "../../registry/skill.ts";
import { checkSelectContext } from "../../select/check-select-context.ts";
import { clampLimit } from "../../select/clamp-limit.ts";
import type { SelectContext, SelectedSkill, SelectionDecision, Selector } from "../../select/selector.ts";
import type { MentionedSkill } from "../mention/resolve-mentions.ts";
import type { UsableSkills } from "./usable-skills.ts";
import { withoutMentions } from "./without-mentions.ts";

/** What a session selects with. */
export interface SessionSelectionParts {
  readonly usable: UsableSkills;
  /** The selector over everything that a session could have. */
  openSelector(): Promise<Selector>;
  /** The skills that a message names and that a person may use. */
  mentions(message: string): readonly MentionedSkill[];
  /** What the session knows besides the message. */
  context(): SelectContext;
}

const DEFAULT_LIMIT = 5;

/** Ranks and decides among the skills that a session may use, and no others. */
export class SessionSelection {
  readonly #parts: SessionSelectionParts;
  #narrowed: { readonly skills: readonly Skill[]; readonly selector: Promise<Selector> } | undefined;

  constructor(parts: SessionSelectionParts) {
    this.#parts = parts;
  }

  /** The skills that suit a message, the best first; those that it names are certain, and come before all others. */
  async select(
    message: string,
    options: { readonly limit?: number; readonly context?: SelectContext },
  ): Promise<readonly SelectedSkill[]> {
    const limit = clampLimit(options.limit ?? DEFAULT_LIMIT);
    const context = this.#context(options);
    const { named, rest } = this.#read(message);
    const found = rest === undefined ? [] : (await this.#selector()).select(rest, { limit, context });
    return [...named, ...this.#allowed(found, named)].slice(0, limit);
  }

  /** What to do about a message. */
  async decide(message: string, options: { readonly context?: SelectContext }): Promise<SelectionDecision> {
    const context = this.#context(options);
    const { named, rest } = this.#read(message);
    const others = rest === undefined ? undefined : (await this.#selector()).decide(rest, { context });
    const activate = [...named, ...this.#allowed(others?.activate ?? [], named)];
    const suggest = this.#allowed(others?.suggest ?? [], named);
    const action = activate.length > 0 ? "activate" : suggest.length > 0 ? "suggest" : "nothing";
    return { action, activate, suggest };
  }

  #context({ context }: { readonly context?: SelectContext }): SelectContext {
    checkSelectContext(context);
    return { ...this.#parts.context(), ...context };
  }

  // Who names a skill has chosen it, also one that models may not choose for themselves. The others go by what else is
  // said, which may be nothing.
  #read(message: string): { readonly named: readonly SelectedSkill[]; readonly rest: string | undefined } {
    const mentions = this.#parts.mentions(message);
    const rest = withoutMentions(message, mentions);
    return {
      named: mentions.map(({ skill }) => ({ skill, score: 1, reasons: [NAMED] })),
      rest: mentions.length > 0 && rest === "" ? undefined : rest,
    };
  }

  // The rules are asked again about the few that are answered: a scan may have said something since.
  #allowed(found: readonly SelectedSkill[], named: readonly SelectedSkill[]): readonly SelectedSkill[] {
    return found.filter(
      ({ skill }) => this.#parts.usable.isUsable(skill) && !named.some((one) => one.skill === skill),
    );
  }

  #selector(): Promise<Selector> {
    const { skills } = this.#parts.usable;
    if (this.#narrowed?.skills !== skills) this.#narrowed = { skills, selector: this.#narrow(skills) };
    return this.#narrowed.selector;
  }

  async #narrow(skills: readonly Skill[]): Promise<Selector> {
    try {
      const selector = await this.#parts.openSelector();
      const asked = new Set(skills);
      return selector.among((skill) => asked.has(skill));
    } catch (error) {
      this.#narrowed = undefined;
      throw error;
    }
  }
}

const NAMED = "the message names it";
