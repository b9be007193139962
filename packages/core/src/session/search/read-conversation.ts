import { MAX_MENTION_CHARACTERS } from "../../mention/find-mentions.ts";

/** A message of a conversation that says what it is about, and how much it still counts. */
export interface WeightedMessage {
  readonly text: string;
  readonly weight: number;
}

/** Besides the current request, so many earlier ones; further back than that nobody looks for them. */
const MAX_EARLIER = 2;
const MAX_LOOKED_BACK = 50;

/** How much less a request counts for each newer one. */
const FADING = 0.6;

/**
 * The messages that say what a conversation is about, the newest first: the current request and up to two earlier ones.
 *
 * "ok" and "continue" say nothing about that: what they answer to still counts in full.
 */
export function readConversation(messages: readonly string[]): readonly WeightedMessage[] {
  const found: WeightedMessage[] = [];
  for (const text of messages.slice(-MAX_LOOKED_BACK).reverse()) {
    if (found.length > MAX_EARLIER) break;
    if (isSubstantive(text)) found.push({ text, weight: FADING ** found.length });
  }
  return found;
}

/** Whoever writes more than this says something. */
const MAX_ASSENT_CHARACTERS = 60;

/** Whether a message says what is wanted, and not only yes, no or go on. */
export function isSubstantive(text: string): boolean {
  // What is pasted can be a megabyte of blanks.
  const start = text.slice(0, MAX_MENTION_CHARACTERS).trim();
  if (start.length > MAX_ASSENT_CHARACTERS) return true;
  const words = start.toLowerCase().match(/[\p{L}\p{M}\p{N}'’]+/gu) ?? [];
  return words.some((word) => !ASSENTS.has(word.replace("’", "'")));
}

// Words of assent, refusal, thanks and going on, in the languages that messages are most often in.
const ASSENTS: ReadonlySet<string> = new Set(
  (
    "ok okay k kk yes y yeah yep yup no n nope nah sure fine good great nice cool perfect awesome right correct exactly " +
    "thanks thank thx ty you please pls do it go on ahead continue proceed next more again retry try that this is looks " +
    "sounds lgtm done hi hello hey stop wait hmm and then now so well keep going 1 2 3 " +
    "ja nein gut weiter danke bitte genau passt mach oui non merci continuez continue vas-y d'accord bien " +
    "sí si no vale gracias sigue continúa claro sim não obrigado certo va bene grazie да нет хорошо спасибо дальше " +
    "好 好的 是 是的 对 对的 不 不是 继续 谢谢 可以 行 はい いいえ ありがとう 続けて 次 お願いします 네 예 아니요 계속 감사합니다"
  ).split(" "),
);
