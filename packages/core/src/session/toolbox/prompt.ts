import type { Catalog } from "../../catalog/create-catalog.ts";
import type { Skill } from "../../registry/skill.ts";
import { isObstacle } from "../../use/may-use.ts";
import { readConversation } from "../search/catalog-for.ts";
import { resolveMentions } from "../search/resolve-mentions.ts";
import { askForDependencies, couldBeSatisfied } from "../secrets.ts";
import type { ConversationCatalogOptions } from "../session.ts";
import { useOf } from "../skill-access.ts";
import type { SessionState } from "../state.ts";
import type { Toolbox, ToolboxOptions } from "./create-toolbox.ts";

/** Options for the prompt of a conversation. */
export interface PromptOptions extends ConversationCatalogOptions {
  /** First asks, in one question, for everything missing in the skills that suit the conversation. */
  readonly dependencies?: "ask" | undefined;
  readonly toolbox?: ToolboxOptions | undefined;
}

/** What a model gets for a turn. */
export interface Prompt {
  /** For the system prompt: the skills that suit the conversation and how to use them; empty without any. */
  readonly text: string;
  readonly catalog: Catalog;
  readonly toolbox: Toolbox;
}

/** Asks once for everything missing in the skills that a conversation names or is about. */
export async function askForRelevant(
  session: SessionState,
  conversation: readonly string[],
  { context, signal }: Pick<PromptOptions, "context" | "signal">,
): Promise<void> {
  const lacking = session.snapshot.skills.filter((skill) => isLacking(session, skill));
  if (lacking.length === 0) return;
  const among = new Set(lacking);
  const selector = (await session.openSelector()).among((skill) => among.has(skill));
  const relevant = new Set<Skill>();
  for (const { text } of readConversation(conversation)) {
    const { activate, suggest } = selector.decide(text, context === undefined ? {} : { context });
    for (const { skill } of [...resolveMentions(text, lacking).skills, ...activate, ...suggest])
      relevant.add(skill);
  }
  if (relevant.size === 0) return;
  const names = [...relevant].map(({ qualifiedName }) => qualifiedName);
  await askForDependencies(session, names, signal);
}

// Only missing values may stand in its way.
function isLacking(session: SessionState, skill: Skill): boolean {
  if (!couldBeSatisfied(skill) || session.secrets.satisfy(skill)) return false;
  return useOf(session, skill, {})
    .reasons.filter(isObstacle)
    .every(({ cause }) => cause === "state");
}
