import { findMentions, type Mention } from "../../mention/find-mentions.ts";
import type { MentionedSkill } from "../mention/resolve-mentions.ts";
import { isSubstantive } from "./read-conversation.ts";

/**
 * A message without the places where it names these skills; empty where it says nothing else, or only "please".
 *
 * The words of a name are about the skill that has it: `/pdf-forms` says nothing for others that are about PDF.
 */
export function withoutMentions(message: string, named: readonly MentionedSkill[]): string {
  if (named.length === 0) return message;
  const isNamed = new Set(named.map(({ mention }) => keyOf(mention)));
  let rest = "";
  let end = 0;
  for (const mention of findMentions(message)) {
    if (!isNamed.has(keyOf(mention))) continue;
    rest += `${message.slice(end, mention.start)} `;
    end = mention.end;
  }
  rest += message.slice(end);
  return isSubstantive(rest) ? rest : "";
}

function keyOf({ name, path }: Mention): string {
  return JSON.stringify([name, path]);
}
