import type { Catalog } from "../../catalog/create-catalog.ts";
import type { Skill } from "../../registry/skill.ts";
import type { Snapshot } from "../../registry/snapshot.ts";
import type {
  SelectContext,
  SelectedSkill,
  SelectionDecision,
  SelectOptions,
  Selector,
} from "../../select/selector.ts";
import type { MentionedSkill } from "../mention/resolve-mentions.ts";
import type { ConversationCatalogOptions, SessionCatalogOptions } from "../session.ts";
import type { SessionGate } from "../session-gate.ts";
import { catalogFor } from "./catalog-for.ts";
import { checkConversation, checkMessage } from "./check-message.ts";
import { NamedSkills } from "./named-skills.ts";
import { SessionSelection } from "./session-selection.ts";
import { UsableSkills } from "./usable-skills.ts";

/** What a session searches with. */
export interface SessionSearchParts {
  readonly snapshot: Snapshot;
  readonly gate: SessionGate;
  /** Skills that come before others in catalogues, by name. */
  readonly preferred: readonly string[];
  /** What the session knows besides a message. */
  context(): SelectContext;
  /** The selector over everything that a session of the snapshot could have. */
  openSelector(): Promise<Selector>;
  /** Records what a decision offered. */
  offer(
    message: string,
    offered: readonly { readonly skill: Skill; readonly tier: "activate" | "suggest" }[],
  ): Promise<void>;
  renderCatalog(
    skills: readonly Skill[],
    options: SessionCatalogOptions & { readonly unlisted?: number },
  ): Catalog;
}

/** Finds skills of a session by what people say. */
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
