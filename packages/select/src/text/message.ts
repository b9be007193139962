import { callInvalid } from "@skillet/kit/errors";
import { codeRanges, createRangeTest } from "@skillet/kit/markdown";
import { STOP_WORDS, splitWords, stemWord } from "@skillet/kit/words";
import type { SelectableSkill } from "../selectable-skill.ts";
import { findExtensions } from "./find-evidence.ts";
import { findMentions } from "./find-mentions.ts";
import { findOrder, OPENERS } from "./find-order.ts";
import { isQuestionAbout } from "./is-question-about.ts";
import { findRuledOut } from "./negations.ts";
import { charGrams, endingOf } from "./term-table.ts";
import { USUAL_SHARES } from "./usual-shares.ts";

/** Only the start and the end of a longer message are read: users ask before or after what they paste. */
const MAX_MESSAGE_CHARACTERS = 4_000;
const MESSAGE_END_CHARACTERS = 1_000;
const MAX_WORDS = 800;
export const MAX_TERMS = 64;
const MAX_GRAMS = 250;
const MAX_EXTENSIONS = 40;

/** A message as the signals see it; everything is bounded, whatever was pasted. */
export interface Message {
  /** The text that is read, without the parts that the message rules out. */
  readonly text: string;
  /** The terms of the ruled-out parts: a skill that is named there is not wanted. */
  readonly ruledOut: readonly string[];
  /** The message asks about a subject and wants nothing done. */
  readonly isQuestionAbout: boolean;
  /** The verb of an order that says little else: "say" in "please say something nice". */
  readonly lead: string | undefined;
  /** The order that the message begins with, as indexes into `terms`. */
  readonly order: OrderedTerms | undefined;
  /** All terms in order, with repetitions, as indexes into `terms`; -1 beyond the bound. */
  readonly sequence: readonly number[];
  /** The different terms, and for each a word that has it and that word's ending. */
  readonly terms: readonly string[];
  readonly words: readonly string[];
  readonly endings: readonly number[];
  /** The hashes of the character 4-grams of all terms except stop words. */
  readonly grams: readonly number[];
  readonly extensions: readonly string[];
  readonly files: readonly string[];
  /** The hosts of web addresses: "example.com". */
  readonly hosts: readonly string[];
}

interface OrderedTerms {
  readonly verb: number;
  readonly object: number;
  readonly modifiers: readonly number[];
  readonly results: readonly number[];
}

export function readMessage(message: string): Message {
  if (typeof message !== "string") throw callInvalid("The message", "a text");
  const { text, ruledOut } = splitRuledOut(cut(message));
  const hosts: string[] = [];
  const spoken = text.replace(VARIABLE, " ").replace(ADDRESS, (_, host: string) => {
    hosts.push(host);
    return ` site ${host.replace(/\.[a-z]+$/i, "")} `;
  });
  const numbers = new Map<string, number>();
  const terms: string[] = [];
  const words: string[] = [];
  const sequence: number[] = [];
  const grams = new Set<number>();
  for (const word of splitWords(spoken).slice(0, MAX_WORDS)) {
    const term = stemWord(word);
    const known = numbers.get(term);
    if (known !== undefined || terms.length >= MAX_TERMS) {
      sequence.push(known ?? -1);
      continue;
    }
    numbers.set(term, terms.length);
    sequence.push(terms.length);
    terms.push(term);
    words.push(word);
    if (!STOP_WORDS.has(word) && grams.size < MAX_GRAMS) for (const gram of charGrams(term)) grams.add(gram);
  }
  const order = findOrder(text);
  const slotOf = (word: string): number => numbers.get(stemWord(word)) ?? -1;
  return {
    text,
    ruledOut,
    order: order && {
      verb: slotOf(order.verb),
      object: slotOf(order.object),
      modifiers: order.modifiers.map(slotOf),
      results: order.results.map(slotOf),
    },
    isQuestionAbout: isQuestionAbout(text),
    lead: findLead(sequence.map((slot) => words[slot] ?? "")),
    sequence,
    terms,
    words,
    endings: words.map((word, slot) => endingOf(word, terms[slot] ?? "")),
    grams: [...grams].slice(0, MAX_GRAMS),
    extensions: findExtensions(text).slice(0, MAX_EXTENSIONS),
    files: findFiles(text),
    hosts,
  };
}

/** Takes out what a message rules out. If nothing else would be left, only what it says not to use. */
function splitRuledOut(text: string, parts = findRuledOut(text)): Pick<Message, "text" | "ruledOut"> {
  let rest = text;
  for (const { start, end } of parts.toReversed()) rest = `${rest.slice(0, start)} ${rest.slice(end)}`;
  const words = splitWords(rest);
  const sure = parts.filter(({ isAboutUse }) => isAboutUse);
  if (sure.length < parts.length && words.every((word) => STOP_WORDS.has(word)))
    return splitRuledOut(text, sure);
  const wanted = new Set(words.map(stemWord));
  const ruledOut = parts.flatMap(({ start, end, isAboutUse }) =>
    splitWords(text.slice(start, end))
      .map(stemWord)
      .filter((term) => isAboutUse || !wanted.has(term)),
  );
  return { text: rest, ruledOut };
}

/** "do" in "please do something about it"; only if the object is vague enough for any message. */
function findLead(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => !OPENERS.has(word));
  const rest = words.slice(at + 1);
  if (at < 0 || PERSONS.has(rest[0] ?? "") || rest.every((word) => STOP_WORDS.has(word))) return undefined;
  return rest.every((word) => USUAL_SHARES.has(stemWord(word))) ? words[at] : undefined;
}

// "Do you know" is not an order.
const PERSONS: ReadonlySet<string> = new Set("i you we they he she it".split(" "));

// What a user wants from a site does not depend on its path, and seldom on its host.
const ADDRESS = /\b(?:https?:\/\/|www\.)(?:www\.)?([\w.-]{1,253})(?:[:/?#]\S{0,2000})?/gi;

// Names of variables and prices are not words: `$HOME` is not about homes.
const VARIABLE = /\$(?:[A-Z0-9_]+\b|\{\w+\})/g;

function cut(message: string): string {
  if (message.length <= MAX_MESSAGE_CHARACTERS) return message;
  const end = message.slice(-MESSAGE_END_CHARACTERS);
  return `${message.slice(0, MAX_MESSAGE_CHARACTERS - MESSAGE_END_CHARACTERS)}\n${end}`;
}

/** Bounds on the files of a message that are compared with the paths of skills, and on their names. */
const MAX_FILES = 20;
const MAX_FILE_CHARACTERS = 260;

/** The files and folders in a text, with `/`: tokens with an extension, or two slashes but no address. */
export function findFiles(text: string): readonly string[] {
  const files = new Set<string>();
  for (const token of text.replaceAll("\\", "/").split(OUTSIDE)) {
    if (files.size >= MAX_FILES) break;
    if (token.length > MAX_FILE_CHARACTERS || token.includes("//")) continue;
    const file = token.replace(/^(?:\.?\/)+|[./-]+$/g, "");
    const name = file.slice(file.lastIndexOf("/") + 1);
    const isPath = file.split("/").length > 2;
    if (isPath || HAS_EXTENSION.test(name)) files.add(file);
  }
  return [...files];
}

// A single pattern over the whole text would backtrack again and again over a long paste.
const OUTSIDE = /[^\w./@+~-]+/;
// `e.g` has no extension; `a.c` and `x.py` do.
const HAS_EXTENSION = /^(?!(?:e\.g|i\.e)$)[^.].*\.[a-z][a-z0-9]{0,7}$/i;

/** Tests for mentions of a skill, not in code, paths, variables, prices or `this skill`. Searched lazily. */
export function createMentionTest(text: string): (skill: SelectableSkill) => boolean {
  let mentions: ReturnType<typeof findMentions> | undefined;
  return (skill) => {
    mentions ??= MARK.test(text) ? findMentions(text) : [];
    const isMarked = mentions.some(({ form, name, path }) =>
      form === "link"
        ? skill.path === path || skill.directory === path
        : name === skill.qualifiedName || name === skill.name,
    );
    return isMarked || isSpokenOf(skill.name.toLowerCase(), text);
  };
}

const MARK = /[$/]/;

/** "the pdf-forms skill": the name followed by "skill"; not enough if the name is an ordinary word. */
function isSpokenOf(name: string, text: string): boolean {
  if (!isTelling(name)) return false;
  const lower = text.toLowerCase();
  let isCode: ((at: number) => boolean) | undefined;
  for (let start = lower.indexOf(name); start >= 0; start = lower.indexOf(name, start + 1)) {
    const end = start + name.length;
    if (!lower.startsWith(SKILL_WORD, end) || WORD_UNIT.test(lower[end + SKILL_WORD.length] ?? "")) continue;
    if (WORD_UNIT.test(lower[start - 1] ?? "")) continue;
    isCode ??= createRangeTest(codeRanges(text));
    if (!isCode(start)) return true;
  }
  return false;
}

const SKILL_WORD = " skill";
const WORD_UNIT = /^[\p{L}\p{N}_/$@-]$/u;

// Words that often precede "skill" in general.
const SAID_OF_SKILLS = new Set(
  (
    "agent another best better certain current custom different each either every existing first good great last main new " +
    "next old other right same second single special specific whole wrong"
  ).split(" "),
);
const LEAST_LETTERS = 4;

function isTelling(name: string): boolean {
  if (name.includes("-")) return true;
  return name.length >= LEAST_LETTERS && !STOP_WORDS.has(name) && !SAID_OF_SKILLS.has(name);
}
