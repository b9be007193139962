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

/** How the prompt for a conversation is made. */
export interface PromptOptions extends ConversationCatalogOptions {
  /** Asks first, in one question, for everything that the skills lack that suit the conversation. */
  readonly dependencies?: "ask" | undefined;
  readonly toolbox?: ToolboxOptions | undefined;
}

/** What a model is given for a turn. */
export interface Prompt {
  /** For the system prompt: the skills that suit the conversation, and what to do with them; empty without skills. */
  readonly text: string;
  readonly catalog: Catalog;
  readonly toolbox: Toolbox;
}

/** Asks once for what the skills lack that a conversation names or is about. */
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

// Nothing but missing values may stand against it.
function isLacking(session: SessionState, skill: Skill): boolean {
  if (!couldBeSatisfied(skill) || session.secrets.satisfy(skill)) return false;
  return useOf(session, skill, {})
    .reasons.filter(isObstacle)
    .every(({ cause }) => cause === "state");
}
