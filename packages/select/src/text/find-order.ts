import { STOP_WORDS, splitWords } from "@skillet/kit/words";

/** An order: "convert", "report" and "sales" in "convert the sales report to a table". */
export interface Order {
  readonly verb: string;
  readonly object: string;
  readonly modifiers: readonly string[];
  /** What the object becomes, "table"; only for orders that convert something. */
  readonly results: readonly string[];
}

/** The order that a message begins with; undefined if there is none, or not in English or Chinese. */
export function findOrder(text: string): Order | undefined {
  const [first = ""] = text.trimStart().slice(0, MAX_CHARACTERS).replace(ASKING, "").split(CLAUSE_END, 1);
  const words = splitWords(first);
  const start = words.findIndex((word) => !OPENERS.has(word));
  const [verb, ...rest] = start < 0 ? [] : words.slice(start);
  if (verb === undefined || NOT_VERBS.has(verb)) return undefined;
  if (CHINESE.test(verb) && !KANA.test(first) && rest.length <= MAX_CHINESE) {
    const [said = ""] = text.trimStart().split(CLAUSE_END, 1);
    return {
      verb,
      object: rest.at(-1) ?? verb,
      modifiers: splitWords(said).filter((word) => word !== verb),
      results: [],
    };
  }
  const named = nounsOf(rest);
  const object = named.at(-1);
  if (object === undefined || BEFORE_OBJECT.has(object) || named.length > MAX_OBJECT) return undefined;
  const towards = rest.findLastIndex((word) => TOWARDS.includes(word));
  const isChange = towards >= 0 && (CHANGING.has(verb) || rest.includes("into"));
  const results = isChange ? nounsOf(rest.slice(towards + 1)) : [];
  return { verb, object, modifiers: named.slice(0, -1), results };
}

function nounsOf(words: readonly string[]): readonly string[] {
  const phrase = words.slice(words.findIndex((word) => !BEFORE_OBJECT.has(word)));
  const end = phrase.findIndex((word) => AFTER_OBJECT.has(word));
  return end < 0 ? phrase : phrase.slice(0, end);
}

/** Words before the result of a conversion; "from" precedes its source. */
export const TOWARDS: readonly string[] = ["to", "into"];

// "Add the site to my project" converts neither.
const CHANGING: ReadonlySet<string> = new Set(
  "convert turn transform translate migrate change export transcribe render".split(" "),
);

const MAX_CHARACTERS = 300;
/** A longer object is an ordinary sentence. */
const MAX_OBJECT = 4;
const MAX_CHINESE = 12;

const ASKING =
  /^(?:(?:(?:hey|hi|hello|ok|okay|so)\W+)*how (?:do|can|could|would|should|might) (?:i|we|you|one) |(?:请|你|能不能|可以|麻烦|帮我|帮忙|我想|我要)+)/i;
/** Chinese comes without spaces, in pairs of characters: the verb is known, the object's start is not. */
const CHINESE = /^\p{Script=Han}{2}$/u;
const KANA = /[\u3041-\u30ff]/;
const CLAUSE_END = /[.,;:!?](?:\s|$)|[，。；：！？]|\n/;

/** Words that may precede the verb of an order. */
export const OPENERS: ReadonlySet<string> = new Set(
  (
    "please can could would will you i we want need to like let lets s d ll us me help just now then and so hey hi hello " +
    "ok okay kindly also bitte por favor"
  ).split(" "),
);
const VERBS: ReadonlySet<string> = new Set("get give go make more put set show use using".split(" "));
const NOT_VERBS: ReadonlySet<string> = new Set([
  ...[...STOP_WORDS].filter((word) => !VERBS.has(word)),
  ..."m isn aren doesn didn whose since".split(" "),
]);
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
