import { cutText } from "@skillet/kit/text";
import { isOrder } from "./subjects.ts";

const MAX_GOAL = 240;

export const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
export const small = (text: string): string => `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
export const wordCount = (text: string): number => text.split(/\s+/).filter(Boolean).length;

export const withoutPlease = (text: string): string =>
  text.replaceAll(/^(?:please|pls)\b[\s,]*|,?\s*\b(?:please|pls)\b,?/gi, "");

const POLITE =
  /^(?:(?:hi|hey|hello|ok(?:ay)?|so|now|please|pls|kindly|can|could|would|will|you|we|i(?:'d| would)? (?:need|want|like|love)(?: you)?(?: to)?|(?:it'?s )?time to|let'?s|help me(?: to)?|go ahead and|just)\b[,\s]*)+/i;

/** How requests begin that are not orders. */
const WISH =
  /\b(?:please|pls|can you|could you|would you|will you|i need|i want|i'd (?:like|love)|i would (?:like|love)|we need|let'?s|help me|your (?:task|job)|bitte|kannst du|peux-tu|pouvez-vous|merci de)\b/i;

/** The sentence that says what is wanted: the first order or wish among greetings, reasons and logs. */
export function requestIn(text: string): { readonly request: string; readonly about: string } {
  const sentences = sentencesIn(text);
  const found = sentences.findIndex((one) => WISH.test(one) || isOrder(one.replace(POLITE, "")));
  const request = sentences[Math.max(0, found)] ?? oneLine(text);
  // "The certificate runs out on Friday. Renew it": the sentence before says what "it" is.
  const about = /\b(?:it|them|this|these|those)\b/i.test(request) ? (sentences[found - 1] ?? "") : "";
  return { request, about: about.replace(/[.!?:;,\s]+$/, "") };
}

// A dot inside a name or an abbreviation does not end a sentence, and the next sentence may begin without a capital.
export const sentencesIn = (text: string): readonly string[] =>
  text
    .split(
      /(?<=[\p{L}\p{N})"'\]][.!?])\s+(?=\p{Lu})|(?<=[\p{L}\p{N})"'\]…]{3}[.!?])\s+(?=\p{L})|(?<=[。！？])|\n+/u,
    )
    .map(oneLine)
    .filter((one) => wordCount(one) >= 3 || /\p{Lo}{6}/u.test(one));

/** The request as a task, with general words for inputs. */
export function goalOf(text: string, commands: string): string {
  const { request, about } = requestIn(text);
  const wish = WISH.exec(request);
  // "I am on the old branch, can you bring it here": what is wanted comes after.
  const after = wish === null ? "" : request.slice(wish.index);
  const order = after.replace(POLITE, "");
  // "The pods restart all the time, can you look": the wish is empty. "Build it, and please no root": it is a limit.
  const isWanted = isOrder(order) && wordCount(order) > 2 && !isOrder(request.replace(POLITE, ""));
  const wanted = isWanted ? after : request;
  const task = readable(withoutPlease(wanted.replace(POLITE, ""))) || readable(request);
  const context = readable(about);
  const isPart = /^(?:it|them|this|these|those)\b/i.test(task);
  const whole = isPart ? `${context}; ${task}` : `${task} (${small(context)})`;
  const goal = context === "" ? task : whole;
  // If nothing is left of the request, the commands must say it.
  return /\p{L}{2}/u.test(goal) ? cutText(goal, MAX_GOAL) : `Work with ${commands}`;
}

/** A text with an article before each input, and without words that point to something that was removed. */
function readable(text: string): string {
  return (
    text
      .replaceAll(/<([a-z-]+)>/g, (_, name: string) => `a ${name.replaceAll("-", " ")}`)
      .replaceAll(/\[…\](\.[a-z]\w{1,4})\b/g, "a $1 file")
      .replaceAll(/(?:\b(?:in|at|on|to|of|from|for|with|by|and|via|into|under|as|is|are)\s+)?\[…\]/gi, "")
      .replaceAll(/\(\s*\)/g, "")
      // Fixes "commit a commit", "the a file" and "from a file a file".
      .replaceAll(/\b([\w-]+) an? \1\b/gi, "a $1")
      .replaceAll(/\b(?:the|an?|my|our|this) an? /gi, "a ")
      .replaceAll(/\ba ([aeiou])/gi, "an $1")
      .replaceAll(/[<>]/g, "")
      .replaceAll(/\s+(?=[,;:!?)]|\.(?!\w))|(?<=\()\s+/g, "")
      .replaceAll(/\s+/g, " ")
      .replaceAll(/^[\s:,;–-]+|[.!?:;,。\s]+$/g, "")
  );
}
