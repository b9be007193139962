import { callInvalid } from "@skillet/kit/errors";
import type { Catalog } from "../../catalog/create-catalog.ts";
import type { Skill } from "../../registry/skill.ts";
import type { Snapshot } from "../../registry/snapshot.ts";
import {
  checkSelectContext,
  clampLimit,
  type SelectContext,
  type SelectedSkill,
  type SelectionDecision,
  type SelectOptions,
  type Selector,
} from "../../select/selector.ts";
import type { ConversationCatalogOptions, SessionCatalogOptions } from "../session.ts";
import type { SessionGate } from "../session-gate.ts";
import { catalogFor } from "./catalog-for.ts";
import { type MentionedSkill, NamedSkills, withoutMentions } from "./resolve-mentions.ts";
import { UsableSkills } from "./usable-skills.ts";

interface SessionSearchParts {
  readonly snapshot: Snapshot;
  readonly gate: SessionGate;
  readonly preferred: readonly string[];
  context(): SelectContext;
  openSelector(): Promise<Selector>;
  offer(
    message: string,
    offered: readonly { readonly skill: Skill; readonly tier: "activate" | "suggest" }[],
  ): Promise<void>;
  renderCatalog(
    skills: readonly Skill[],
    options: SessionCatalogOptions & { readonly unlisted?: number },
  ): Catalog;
}

export class SessionSearch {
  readonly #selection: SessionSelection;
  readonly #parts: SessionSearchParts;
  readonly #usable: UsableSkills;
  #named: NamedSkills | undefined;

  constructor(parts: SessionSearchParts) {
    this.#parts = parts;
    this.#usable = new UsableSkills(parts.snapshot, parts.gate);
    this.#selection = new SessionSelection({
      usable: this.#usable,
      openSelector: () => parts.openSelector(),
      mentions: (message) => this.#mentions(message),
      context: () => parts.context(),
    });
  }

  async catalogFor(conversation: readonly string[], options: ConversationCatalogOptions): Promise<Catalog> {
    checkConversation(conversation);
    const { preferred, context, renderCatalog } = this.#parts;
    return catalogFor(conversation, options, {
      usable: this.#usable,
      preferred,
      recentUse: context().recentUse,
      select: (message, given) => this.select(message, given),
      render: renderCatalog,
    });
  }

  async select(message: string, options: SelectOptions): Promise<readonly SelectedSkill[]> {
    checkMessage(message);
    return this.#selection.select(message, options);
  }

  /** What to do about a message; what is offered is on record before the host hears of it. */
  async decide(message: string, options: { readonly context?: SelectContext }): Promise<SelectionDecision> {
    checkMessage(message);
    const decision = await this.#selection.decide(message, options);
    await this.#parts.offer(message, [
      ...decision.activate.map(({ skill }) => ({ skill, tier: "activate" as const })),
      ...decision.suggest.map(({ skill }) => ({ skill, tier: "suggest" as const })),
    ]);
    return decision;
  }

  /** Values were given: other skills may be usable from now on. */
  forget(): void {
    this.#usable.forget();
    this.#named = undefined;
  }

  #mentions(message: string): readonly MentionedSkill[] {
    const { snapshot, gate } = this.#parts;
    const isForPeople = (skill: Skill): boolean => gate.hiddenFrom(skill, "user") === undefined;
    this.#named ??= new NamedSkills(snapshot.skills.filter(isForPeople));
    return this.#named.find(message).filter(({ skill }) => isForPeople(skill));
  }
}

interface SessionSelectionParts {
  readonly usable: UsableSkills;
  openSelector(): Promise<Selector>;
  mentions(message: string): readonly MentionedSkill[];
  context(): SelectContext;
}

const DEFAULT_LIMIT = 5;

/** Ranks and decides among the skills that a session may use, and no others. */
class SessionSelection {
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

/** Refuses what is no message. */
function checkMessage(message: string): void {
  if (typeof message !== "string") throw callInvalid("The message", "a text");
}

/** Refuses what is no conversation; a single text would be read letter by letter. */
function checkConversation(conversation: readonly string[]): void {
  if (!Array.isArray(conversation) || conversation.some((message) => typeof message !== "string"))
    throw callInvalid("The conversation", "a list of texts, the newest last");
}
