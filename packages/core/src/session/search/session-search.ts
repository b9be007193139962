import { callInvalid } from "@skillet/kit/errors";
import type { Catalog } from "../../catalog/create-catalog.ts";
import type { Skill } from "../../registry/skill.ts";
import {
  checkSelectContext,
  clampLimit,
  type SelectContext,
  type SelectedSkill,
  type SelectionDecision,
  type SelectOptions,
  type Selector,
} from "../../select/selector.ts";
import type { SessionCore } from "../equip-session.ts";
import type { ConversationCatalogOptions } from "../session.ts";
import { catalogFor } from "./catalog-for.ts";
import { NamedSkills, withoutMentions } from "./resolve-mentions.ts";
import { UsableSkills } from "./usable-skills.ts";

/** Ranks and decides among the skills that a session may use, and no others. */
export class SessionSearch {
  readonly #core: SessionCore;
  readonly #usable: UsableSkills;
  #named: NamedSkills | undefined;
  #narrowed: { readonly skills: readonly Skill[]; readonly selector: Promise<Selector> } | undefined;

  constructor(core: SessionCore) {
    this.#core = core;
    this.#usable = new UsableSkills(core.snapshot, core.gate);
  }

  async catalogFor(conversation: readonly string[], options: ConversationCatalogOptions): Promise<Catalog> {
    checkConversation(conversation);
    const { preferred, memory, renderCatalog } = this.#core;
    return catalogFor(conversation, options, {
      usable: this.#usable,
      preferred,
      recentUse: memory.context().recentUse,
      select: (message, given) => this.select(message, given),
      render: renderCatalog,
    });
  }

  /** The skills that suit a message, the best first; those that it names are certain, and come before all others. */
  async select(message: string, options: SelectOptions): Promise<readonly SelectedSkill[]> {
    checkMessage(message);
    const limit = clampLimit(options.limit ?? DEFAULT_LIMIT);
    const context = this.#context(options.context);
    const { named, rest } = this.#read(message);
    const found = rest === undefined ? [] : (await this.#selector()).select(rest, { limit, context });
    return [...named, ...this.#allowed(found, named)].slice(0, limit);
  }

  /** What to do about a message; what is offered is on record before the host hears of it. */
  async decide(message: string, options: { readonly context?: SelectContext }): Promise<SelectionDecision> {
    checkMessage(message);
    const context = this.#context(options.context);
    const { named, rest } = this.#read(message);
    const others = rest === undefined ? undefined : (await this.#selector()).decide(rest, { context });
    const activate = [...named, ...this.#allowed(others?.activate ?? [], named)];
    const suggest = this.#allowed(others?.suggest ?? [], named);
    const action = activate.length > 0 ? "activate" : suggest.length > 0 ? "suggest" : "nothing";
    await this.#core.outcomes.offer(message, [
      ...activate.map(({ skill }) => ({ skill, tier: "activate" as const })),
      ...suggest.map(({ skill }) => ({ skill, tier: "suggest" as const })),
    ]);
    return { action, activate, suggest };
  }

  /** Values were given: other skills may be usable from now on. */
  forget(): void {
    this.#usable.forget();
    this.#named = undefined;
  }

  #context(given: SelectContext | undefined): SelectContext {
    checkSelectContext(given);
    const { files } = this.#core.options;
    return { ...this.#core.memory.context(), ...(files && { files }), ...given };
  }

  // Who names a skill has chosen it, also one that models may not choose for themselves. The others go by what else is
  // said, which may be nothing.
  #read(message: string): { readonly named: readonly SelectedSkill[]; readonly rest: string | undefined } {
    const { snapshot, gate } = this.#core;
    const isForPeople = (skill: Skill): boolean => gate.hiddenFrom(skill, "user") === undefined;
    this.#named ??= new NamedSkills(snapshot.skills.filter(isForPeople));
    const mentions = this.#named.find(message).filter(({ skill }) => isForPeople(skill));
    const rest = withoutMentions(message, mentions);
    return {
      named: mentions.map(({ skill }) => ({ skill, score: 1, reasons: ["the message names it"] })),
      rest: mentions.length > 0 && rest === "" ? undefined : rest,
    };
  }

  // The rules are asked again about the few that are answered: a scan may have said something since.
  #allowed(found: readonly SelectedSkill[], named: readonly SelectedSkill[]): readonly SelectedSkill[] {
    return found.filter(
      ({ skill }) => this.#usable.isUsable(skill) && !named.some((one) => one.skill === skill),
    );
  }

  #selector(): Promise<Selector> {
    const { skills } = this.#usable;
    if (this.#narrowed?.skills !== skills) this.#narrowed = { skills, selector: this.#narrow(skills) };
    return this.#narrowed.selector;
  }

  async #narrow(skills: readonly Skill[]): Promise<Selector> {
    try {
      const selector = await this.#core.openSelector();
      const asked = new Set(skills);
      return selector.among((skill) => asked.has(skill));
    } catch (error) {
      this.#narrowed = undefined;
      throw error;
    }
  }
}

const DEFAULT_LIMIT = 5;

/** Refuses what is no message. */
function checkMessage(message: string): void {
  if (typeof message !== "string") throw callInvalid("The message", "a text");
}

/** Refuses what is no conversation; a single text would be read letter by letter. */
function checkConversation(conversation: readonly string[]): void {
  if (!Array.isArray(conversation) || conversation.some((message) => typeof message !== "string"))
    throw callInvalid("The conversation", "a list of texts, the newest last");
}
