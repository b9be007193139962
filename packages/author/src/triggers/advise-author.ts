import type { Skill } from "@skillet/core";
import { STOP_WORDS, splitWords, stemWord } from "@skillet/kit/words";
import { SAID_BESIDES, splitClauses, tellingOf } from "@skillet/select/parts";

type Clause = ReturnType<typeof splitClauses>[number];

const MAX_WORDS = 5;

/** Returns nothing if the cause is unknown: wrong advice costs more than none, and a model gives no reasons. */
export function adviseAuthor(
  skill: Skill,
  { query, shouldTrigger }: { readonly query: string; readonly shouldTrigger: boolean },
  reasons: readonly string[] = [],
): string | undefined {
  const words = topicWords(query);
  return shouldTrigger ? adviseMissed(skill, words) : adviseCalled(skill, words, reasons);
}

function adviseMissed(skill: Skill, words: readonly string[]): string | undefined {
  if (words.length === 0) return undefined;
  const known = stemsOf(headerWords(skill));
  const excluded = stemsOf(splitWords(exclusionsOf(skill)));
  const unsaid = words.filter((word) => !hasWord(known, word));
  const denied = unsaid.filter((word) => hasWord(excluded, word)).slice(0, MAX_WORDS);
  const missing = unsaid.filter((word) => !hasWord(excluded, word) && isSubject(word)).slice(0, MAX_WORDS);
  if (missing.length > 0)
    return `the description and when_to_use lack ${listWords(missing)}: say so, if the skill is for that`;
  if (denied.length > 0)
    return `it speaks of ${listWords(denied)} only where it says what it is not for: say so, if the skill is for that`;
  const said = unsaid.length === 0 ? "its words are in the header already: " : "";
  return `${said}say when to use the skill in a sentence like this message`;
}

/** No number, version, moment or everyday word, none of which a description would name. */
function isSubject(word: string): boolean {
  const isTelling = (stem: string): boolean => tellingOf(stem) > 0 && !SAID_BESIDES.has(stem);
  return !/\d/.test(word) && splitWords(word).map(stemWord).some(isTelling);
}

function adviseCalled(
  skill: Skill,
  words: readonly string[],
  reasons: readonly string[],
): string | undefined {
  // A message that names a skill gets it, whatever the header says.
  if (reasons.some((reason) => reason.startsWith("mentioned as "))) return undefined;
  const pattern = reasons.find((reason) => reason.startsWith("pattern "));
  if (pattern !== undefined) return `the ${pattern} matches it: narrow that`;
  if (reasons.some((reason) => reason.endsWith(" fits its paths")))
    return "its paths fit a file of the message: narrow them, or say what it is not for";
  const common = sharedWords(stemsOf(headerWords(skill)), words).slice(0, MAX_WORDS);
  if (common.length === 0)
    return reasons.includes("words of its instructions")
      ? "nothing in the description matches: look at the headings and the body"
      : undefined;
  return exclusionsOf(skill) === ""
    ? `its own text says ${listWords(common)} too: add "Do not use for …" and name what this message is about`
    : `its own text says ${listWords(common)} too, whatever it says it is not for: narrow the description`;
}

const stemsOf = (words: readonly string[]): ReadonlySet<string> => new Set(words.map(stemWord));

/** The words that occur among the stems; for `scan.pdf`, perhaps `pdf` alone. */
function sharedWords(stems: ReadonlySet<string>, words: readonly string[]): readonly string[] {
  const shared = words.flatMap((word) => {
    const parts = splitWords(word).filter((part) => !STOP_WORDS.has(part));
    const found = parts.filter((part) => stems.has(stemWord(part)));
    return found.length === parts.length && found.length > 0 ? [word] : found;
  });
  return [...new Set(shared)];
}

/** The words of a message that say what it is about, as written, in order and without repeats. */
export function topicWords(text: string): readonly string[] {
  segmenter ??= new Intl.Segmenter("und", { granularity: "word" });
  const words = Array.from(segmenter.segment(text.slice(0, MAX_TOPIC_CHARACTERS)))
    .filter(({ isWordLike }) => isWordLike === true)
    .map(({ segment }) => segment.toLowerCase());
  return [...new Set(words)].filter(
    (word) => word.length > 1 && splitWords(word).some((part) => !STOP_WORDS.has(part)),
  );
}

let segmenter: Intl.Segmenter | undefined;
const MAX_TOPIC_CHARACTERS = 2_000;

export const hasWord = (stems: ReadonlySet<string>, word: string): boolean =>
  splitWords(word).some((part) => stems.has(stemWord(part)));

export function clausesOf({ description, whenToUse = "" }: Skill["manifest"]): readonly Clause[] {
  return [...splitClauses(description, "description"), ...splitClauses(whenToUse, "trigger")];
}

export function headerWords({ name, manifest }: Skill): readonly string[] {
  const { triggers, tags } = manifest;
  const positive = clausesOf(manifest).flatMap(({ kind, text }) => (kind === "negative" ? [] : [text]));
  return splitWords([name, ...positive, ...triggers.keywords, ...triggers.verbs, ...tags].join("\n"));
}

function exclusionsOf({ manifest }: Skill): string {
  return clausesOf(manifest)
    .flatMap(({ kind, text }) => (kind === "negative" ? [text] : []))
    .join(" ");
}

const listWords = (words: readonly string[]): string => words.map((word) => `"${word}"`).join(", ");
