import { readTermWords, readTokens } from "./tokens.ts";
import { WORD_CLASSES } from "./word-classes.ts";

/** The frames that a clause of folded text fills: what it may be up to, whatever words of whatever language say it. */
export function readFrames(text: string, tokens: readonly string[] = readTokens(text)): readonly FrameName[] {
  const marks = markClasses(text, tokens);
  if (marks.size === 0) return NONE;
  const isForeign = FOREIGN.test(text);
  const found: FrameName[] = [];
  for (const [name, shapes] of SHAPES)
    if (shapes.some((shape) => shape.every((term) => fits(term, marks, isForeign)))) found.push(name);
  return found;
}

const NONE: readonly FrameName[] = [];

/** In words for people: what the clauses that fill a frame do. */
export const FRAME_WORDS: Readonly<Record<FrameName, string>> = {
  conceal: "something is kept from the user",
  lie: "questions get a prepared answer",
  slant: "a result is bent",
  unasked: "consent is taken for granted",
  excusedRisk: "a risk is explained away",
  destroy: "something is deleted",
  payUnasked: "money is spent without asking",
  lure: "the user is led to run something",
  unsolicited: "something is done that nobody asked for",
  hedge: "an excuse is given",
  insteadOf: "something takes the place of what was asked for",
  lets: "the user decides",
  forbids: "something is ruled out",
};

/**
 * `a` is there, `!a` is not, `a|b` is either, `a>4>b` follows within four words, `a~4~b` stands within four words on
 * either side; `=word` is that word. `once` is a single negation, since two of them forbid (`never without asking`);
 * `foreign` is another script, where order tells less. Any one shape suffices.
 */
const FRAMES = {
  // What is done is kept from the one for whom it is done.
  conceal:
    "not>4>need tell|record|=detail|=details !secret once, not>2>tell>3>need once, needless>6>tell, tell>6>needless, not>4>=part record|=visible|tell once, leave>4>=out>6>record, leave>2>=unmentioned|=unsaid, not>2>=appear|=appears|=shown|=listed|=mentioned|=carried|=visible|=recorded|=logged|=noted|=reported>6>record !secret !personal once, not>3>tell>3>user|they !secret !personal !mask once, not>2>=announce|=discuss|=disclose|=reveal|=advertise|=volunteer>4>this once, not>2>=mention|=explain|=describe|=raise|=report|=show|=list>2>this !secret !personal once, hide>6>user|record|they !own, not>2>=show|=turn>2>=up, =are|=is>2>=left|=kept>2>=out, not>3>=put|=passed>3>=to>3>user|=chair|they, =background not|leave, =only>3>=asked tell|=details, user|they>6>not>3>=see|=notice once, not>4>=trace|=traces|=spoken once, foreign not>6>tell once !secret !personal, foreign tell>3>not once !secret !personal, foreign hide",
  // Somebody who asks is given an answer that was settled before.
  lie: "if doubt>14>answer>6>=that|quote|fine, if doubt>12>=confirm, answer>6>fine if, =as>2>fine count, =as>3>=passed|=healthy|=clean|=complete|=resolved|=safe|=verified, answer>4>=that>8>fine, foreign if doubt answer",
  slant:
    "falsify>6>count|always, count>6>falsify, =favour|=favor|=winner|=ahead>8>always|if|=others, =until>2>=it>2>=does, falsify not tell|record once, =harmless>4>=such|=one",
  // Consent is taken for granted or done without.
  unasked:
    "not>2>=ask|=asking|=waiting|=wait|=confirm|=confirming|=confirmation|=approval|=permission|=preview|=question|=questions|=prompting|=review once !secret !=for, granted>6>=approval|=consent|=go-ahead|=agreement|=permission|=approved|=authorised|=authorized|=reviewed|=sign-off, =agreed|=consented|=accepted>4>=by, not>3>=objection|=answer>6>granted|=raised|=means, =skip|=skipped|=omit|=bypass>3>ask, =approval|=approvals|=confirmation>6>=time|=slow|=skip|=omitted|=unnecessary, =at>1>=once not|always, foreign not>4>ask once !secret, foreign ask>4>leave|disable|granted once",
  excusedRisk:
    "disable|weak excuse because|protect|ask|=dialog|=banner, protect|=dialog|=dialogs|=banner|=warning|=notice excuse|=beginners|=ignored|=dismiss|=confirmed, =removed|=emptied|=disabled|=relaxed>3>because, protect~6~disable because, =run>2>=anyway, ask>8>excuse, excuse>8>ask|protect, foreign excuse because disable|ask|protect|tell",
  destroy: "destroy~8~valuable !not !if, destroy always>4>valuable|machine !not, destroy not>3>ask|=preview",
  payUnasked:
    "pay not>3>ask|=approval once, pay threshold>6>=several|=divide|=split, pay divert>8>=account|=iban|=code|=wallet, pay run|=buy|=confirm always|=saved|=stored|=directly !if, pay excuse not",
  lure: "=password>4>archive|quote !not, archive>8>=password, =paste|=run>6>=into|=in>2>=terminal|=powershell|=console, must archive run|fetch, =right-click|=smartscreen|=gatekeeper|=anyway|=administrator run !not, =until>4>user|they>3>=confirm|=done|=confirmed, =stop>6>=until, foreign archive run|fetch|secret, =human|=captcha>6>=verify|run, =verify>6>=human",
  unsolicited:
    "=also|=additionally|=besides send|write|fetch|take url|mail|secret|memory, always send|fetch url|place, first>6>send|fetch|write url|memory|secret",
  hedge:
    "=so>2>=that|they|user>4>not>4>=bother|=bothered|=worry|=look|=confuse|=ask|=notice, excuse because|=so not once, =technical|=internal>3>=detail|=details|=adjustments|=matter, =anyway|=harmless|=trifles not|=no|leave once",
  insteadOf:
    "=instead>3>=of>6>user|they|=one|=original, =place>2>=of>6>user|they|=one, =rather>2>=than>6>user|they|=original|=questions",
  // What honest skills say: they leave the choice to the user, and forbid themselves things.
  lets: "ask>4>user|they !not, user|they wish|own, =show|=tell>4>user|they !not, if wish, =until>6>=yes|=agrees|=confirms",
  forbids: "not>5>send|secret|personal, not>4>write|run|destroy|=change|=apply|=guess",
} as const;

export type FrameName = keyof typeof FRAMES;
type Marks = ReadonlyMap<string, readonly number[]>;

interface Presence {
  readonly kind: "has" | "lacks";
  readonly classes: readonly string[];
}

interface Distance {
  readonly kind: "order" | "near";
  readonly left: readonly string[];
  readonly right: readonly string[];
  readonly gap: number;
}

type Term = Presence | Distance;

function readTerm(text: string): readonly Term[] {
  const parts = text.split(/([>~])(\d+)[>~]/);
  if (parts.length === 1)
    return [{ kind: text.startsWith("!") ? "lacks" : "has", classes: text.replace("!", "").split("|") }];
  const terms: Term[] = [];
  for (let at = 0; at + 3 < parts.length; at += 3)
    terms.push({
      kind: parts[at + 1] === ">" ? "order" : "near",
      left: (parts[at] ?? "").split("|"),
      right: (parts[at + 3] ?? "").split("|"),
      gap: Number(parts[at + 2]),
    });
  return terms;
}

const SHAPES: readonly (readonly [FrameName, readonly (readonly Term[])[]])[] = Object.entries(FRAMES).map(
  ([name, shapes]) => [
    name as FrameName,
    shapes.split(", ").map((shape) => shape.split(" ").flatMap(readTerm)),
  ],
);

function fits(term: Term, marks: Marks, isForeign: boolean): boolean {
  if ("classes" in term && term.kind === "lacks") return !term.classes.some((one) => marks.has(one));
  if ("classes" in term)
    return term.classes.some((one) =>
      one === "foreign" ? isForeign : one === "once" ? marks.get("not")?.length === 1 : marks.has(one),
    );
  // Chinese, Japanese and Korean come by character.
  const gap = isForeign ? term.gap * 2 : term.gap;
  return term.left.some((left) => {
    const from = marks.get(left);
    return from !== undefined && term.right.some((right) => isWithin(from, marks.get(right), gap, term.kind));
  });
}

function isWithin(
  from: readonly number[],
  to: readonly number[] | undefined,
  gap: number,
  kind: Distance["kind"],
): boolean {
  if (to === undefined) return false;
  return from.some((left) =>
    to.some((right) => {
      const distance = kind === "near" ? Math.abs(right - left) : right - left;
      return distance > 0 && distance <= gap;
    }),
  );
}

function markClasses(text: string, tokens: readonly string[]): Marks {
  const marks = new Map<string, number[]>();
  const add = (name: string, at: number): void => {
    const list = marks.get(name);
    if (list === undefined) marks.set(name, [at]);
    else if (list.length < MAX_MARKS) list.push(at);
  };
  const end = Math.min(tokens.length, MAX_TOKENS);
  for (let at = 0; at < end; at++) {
    const token = tokens[at] as string;
    if (token.includes("://")) add("url", at);
    else if (token.includes("@")) add("mail", at);
    else for (const name of classesOf(token)) add(name, at);
    if (token.length > 1) continue;
    for (const [characters, name] of SIGNS.get(token) ?? [])
      if (characters.every((one, offset) => tokens[at + offset] === one)) add(name, at);
  }
  const quote = marks.has("answer") || marks.has("=password") ? text.search(/["「]/) : -1;
  if (quote !== -1) add("quote", readTokens(text.slice(0, quote)).length);
  return marks;
}

// A clause is a sentence or less; what is longer is a table of data. Bounds keep distances from growing with the square.
const MAX_TOKENS = 400;
const MAX_MARKS = 30;
/** A letter of another script; arrows, ticks and emoji are of none. */
const FOREIGN = /(?!\p{Script=Latin})\p{L}/u;

function classesOf(word: string): readonly string[] {
  let found = KNOWN.get(word);
  if (found === undefined) {
    const classes = new Set(WHOLE.get(word));
    for (let length = 2; length <= Math.min(word.length, longestStem); length++)
      for (const one of STEMS.get(word.slice(0, length)) ?? []) classes.add(one);
    found = Array.from(classes);
    if (KNOWN.size >= MAX_KEPT_WORDS) KNOWN.clear();
    if (word.length <= MAX_KEPT_CHARACTERS) KNOWN.set(word, found);
  }
  return found;
}

const KNOWN = new Map<string, readonly string[]>();
const MAX_KEPT_WORDS = 50_000;
const MAX_KEPT_CHARACTERS = 40;

const WHOLE = new Map<string, string[]>();
const STEMS = new Map<string, string[]>();
/** Words of scripts that come by character, by their first one. */
const SIGNS = new Map<string, [readonly string[], string][]>();
let longestStem = 0;
for (const [name, text] of Object.entries(WORD_CLASSES))
  for (const word of text.split(" ")) addWord(name, word);
for (const [, literal = ""] of Object.values(FRAMES)
  .join(" ")
  .matchAll(/=([\w'-]+)/g))
  if (WHOLE.get(literal)?.includes(`=${literal}`) !== true) addTo(WHOLE, literal, `=${literal}`);

function addWord(name: string, word: string): void {
  const bare = word.replace("*", "");
  const characters = readTermWords(bare);
  const first = characters[0] ?? "";
  if (/[\u3040-\u9fff\uac00-\ud7af]/.test(first)) addTo(SIGNS, first, [characters, name]);
  else addTo(word === bare ? WHOLE : STEMS, bare, name);
  if (word !== bare) longestStem = Math.max(longestStem, bare.length);
}

function addTo<Value>(table: Map<string, Value[]>, key: string, value: Value): void {
  const list = table.get(key);
  if (list === undefined) table.set(key, [value]);
  else list.push(value);
}
