import { splitWords } from "@skillet/kit/words";

/** What is to be done to what: "write", "tests" and "unit" in "please write unit tests for this function". */
export interface Order {
  readonly verb: string;
  readonly object: string;
  readonly modifiers: readonly string[];
  /** What is to be made into what, each word with each; only of orders to make one thing into another. */
  readonly changes?: readonly Change<string>[];
}

interface Change<Word> {
  readonly from: Word;
  readonly to: Word;
}

/** The order that a message begins with; undefined where it begins otherwise, or in another language than English or Chinese. */
export function findOrder(text: string): Order | undefined {
  const [first = ""] = text.trimStart().slice(0, MAX_CHARACTERS).replace(ASKING, "").split(CLAUSE_END, 1);
  const words = splitWords(first);
  const start = words.findIndex((word) => !OPENERS.has(word));
  const [verb, ...rest] = start < 0 ? [] : words.slice(start);
  if (verb === undefined || NOT_VERBS.has(verb)) return undefined;
  if (CHINESE.test(verb) && !KANA.test(first) && rest.length <= MAX_CHINESE) {
    const [said = ""] = text.trimStart().split(CLAUSE_END, 1);
    return { verb, object: rest.at(-1) ?? verb, modifiers: splitWords(said).filter((word) => word !== verb) };
  }
  const phrase = rest.slice(rest.findIndex((word) => !BEFORE_OBJECT.has(word)));
  const end = phrase.findIndex((word) => AFTER_OBJECT.has(word));
  const named = end < 0 ? phrase : phrase.slice(0, end);
  const object = named.at(-1);
  if (object === undefined || BEFORE_OBJECT.has(object) || named.length > MAX_OBJECT) return undefined;
  const isChange = CHANGING.has(verb) || rest.includes("into");
  const changes = isChange ? findChanges(rest, (word) => CHANGE_WORDS.find((one) => one === word)) : [];
  return { verb, object, modifiers: named.slice(0, -1), ...(changes.length > 0 && { changes }) };
}

/** "Word" to "PDF" in "Word to PDF" as in "to PDF from Word". */
export function findChanges<Word>(
  words: readonly Word[],
  prepositionOf: (word: Word) => string | undefined,
): readonly Change<Word>[] {
  const changes: Change<Word>[] = [];
  let before: readonly Word[] = [];
  let after: Word[] = [];
  let last = "";
  for (const word of words) {
    const preposition = prepositionOf(word);
    if (preposition === undefined) {
      after.push(word);
      for (const other of after.length > MAX_CHANGE_WORDS ? [] : before)
        changes.push(last === "from" ? { from: word, to: other } : { from: other, to: word });
    } else {
      before = after.slice(-MAX_CHANGE_WORDS);
      after = [];
      last = preposition;
    }
  }
  return changes;
}

export const CHANGE_WORDS: readonly string[] = ["to", "into", "from"];

// "Add the site to my project" makes neither into the other.
const CHANGING: ReadonlySet<string> = new Set(
  "convert turn transform translate migrate change export transcribe render".split(" "),
);

const MAX_CHARACTERS = 300;
/** What is longer is a sentence that is put otherwise. */
const MAX_OBJECT = 4;
const MAX_CHINESE = 12;
/** A skill that repeats its words would otherwise have each compared with each. */
const MAX_CHANGE_WORDS = 8;

const ASKING =
  /^(?:(?:(?:hey|hi|hello|ok|okay|so)\W+)*how (?:do|can|could|would|should|might) (?:i|we|you|one) |(?:请|你|能不能|可以|麻烦|帮我|帮忙|我想|我要)+)/i;
/** Written without spaces, it comes in pairs of characters: where its object begins is not known, that a verb leads is. */
const CHINESE = /^\p{Script=Han}{2}$/u;
const KANA = /[\u3041-\u30ff]/;
const CLAUSE_END = /[.,;:!?](?:\s|$)|[，。；：！？]|\n/;

/** Before the verb of an order. */
export const OPENERS: ReadonlySet<string> = new Set(
  (
    "please can could would will you i we want need to like let lets s d ll us me help just now then and so hey hi hello " +
    "ok okay kindly also bitte por favor"
  ).split(" "),
);
const NOT_VERBS: ReadonlySet<string> = new Set(
  (
    "a an the this that these those my our your his her their its it he she they there here what which who whose why how " +
    "when where is are was were am be been do does did has have had isn aren don doesn didn m ve re if since because after " +
    "before while not no yes some any all for in on at with from by about"
  ).split(" "),
);
const BEFORE_OBJECT: ReadonlySet<string> = new Set(
  (
    "a an the this that these those my our your his her their its it him them me us some any all every each another off on up " +
    "down out over back together away"
  ).split(" "),
);
const AFTER_OBJECT: ReadonlySet<string> = new Set(
  (
    "to of in on at for from with by about as into onto using via without and or but so that which who when where while if " +
    "because than like please now today again before after until between through under over off up down out is are was were " +
    "has have i we you it the a an my our your this"
  ).split(" "),
);
