import type { SelectedSkill, Skill } from "@skillet/core";
import { compareByteOrder } from "@skillet/kit/order";
import { splitWords, stemWord } from "@skillet/kit/words";
import { splitClauses } from "@skillet/select/parts";
import { hasWord, headerWords, topicWords } from "../triggers/advise-author.ts";
import type { TriggerQuery } from "../triggers/trigger-set.ts";
import type { CollisionDirection, ContestedPhrase, PhraseSource } from "./find-collisions.ts";

const MAX_PHRASES = 5;
const MAX_WORDS = 8;

/** How near a rival must come behind a skill to count. */
const CLOSE_MARGIN = 0.05;

/** A rival that is less likely itself takes nothing: nobody would name it. */
const MIN_RIVAL_SCORE = 0.3;

/** Who contests one phrase of a skill: who stands before it, and who right behind. */
export function rivalsFor(
  skill: Skill,
  ranked: readonly SelectedSkill[],
): readonly {
  readonly rival: SelectedSkill;
  readonly outcome: "stolen" | "close";
  readonly score: number;
}[] {
  const place = ranked.findIndex(({ skill: one }) => one.qualifiedName === skill.qualifiedName);
  const score = ranked[place]?.score ?? 0;
  if (place === 0)
    return ranked
      .slice(1)
      .filter((rival) => rival.score >= MIN_RIVAL_SCORE && score - rival.score <= CLOSE_MARGIN)
      .map((rival) => ({ rival, outcome: "close", score }));
  const before = place === -1 ? ranked : ranked.slice(0, place);
  return before
    .filter((rival) => rival.score >= MIN_RIVAL_SCORE)
    .map((rival) => ({ rival, outcome: "stolen", score }));
}

/** What one skill loses to another, as it adds up. */
export class Contest {
  readonly #from: Skill;
  readonly #to: Skill;
  readonly #queries: number;
  readonly #phrases: ContestedPhrase[] = [];
  readonly #words = new Map<string, number>();
  #stolen = 0;
  #close = 0;
  #rivalWords: ReadonlySet<string> | undefined;

  constructor(from: Skill, to: Skill, queries: number) {
    this.#from = from;
    this.#to = to;
    this.#queries = queries;
  }

  add(
    phrase: OwnPhrase,
    { outcome, score, rivalScore }: Pick<ContestedPhrase, "outcome" | "score" | "rivalScore">,
  ): void {
    if (outcome === "stolen") this.#stolen += 1;
    else this.#close += 1;
    this.#phrases.push({ ...phrase, outcome, score, rivalScore });
    this.#rivalWords ??= new Set(headerWords(this.#to).map(stemWord));
    for (const word of topicWords(phrase.text))
      if (hasWord(this.#rivalWords, word)) this.#words.set(word, (this.#words.get(word) ?? 0) + 1);
  }

  /** Between 0 and 1: a close one is half a loss. */
  get harm(): number {
    return (this.#stolen + this.#close / 2) / this.#queries;
  }

  direction(): CollisionDirection {
    const worst = this.#phrases.toSorted(
      (left, right) =>
        right.rivalScore - right.score - (left.rivalScore - left.score) ||
        compareByteOrder(left.text, right.text),
    );
    const words = Array.from(this.#words).sort(
      (left, right) => right[1] - left[1] || compareByteOrder(left[0], right[0]),
    );
    return {
      from: this.#from.qualifiedName,
      to: this.#to.qualifiedName,
      queries: this.#queries,
      stolen: this.#stolen,
      close: this.#close,
      share: (this.#stolen + this.#close) / this.#queries,
      phrases: worst.slice(0, MAX_PHRASES),
      sharedWords: words.slice(0, MAX_WORDS).map(([word]) => word),
    };
  }
}

interface OwnPhrase {
  readonly text: string;
  readonly source: PhraseSource;
}

const MAX_PHRASE_CHARACTERS = 400;

// With fewer, the description has to speak for the skill as well.
const ENOUGH = 3;

/** The messages that a skill claims for itself, the surest first: its trigger set, what it quotes, keywords, sentences. */
export function phrasesOf(skill: Skill, queries: readonly TriggerQuery[] = []): readonly OwnPhrase[] {
  const { description, whenToUse = "", triggers } = skill.manifest;
  const said = [...splitClauses(description, "description"), ...splitClauses(whenToUse, "trigger")];
  const of = (kind: "phrase" | "trigger" | "description"): readonly string[] =>
    said.filter((clause) => clause.kind === kind).map(({ text }) => text);
  const claimed: OwnPhrase[] = [
    ...queries.filter(({ shouldTrigger }) => shouldTrigger).map(({ query }) => from("trigger-set", query)),
    // One word in quotes is mostly a name or a value, no message.
    ...of("phrase")
      .filter((text) => splitWords(text).length > 1)
      .map((text) => from("phrase", text)),
    ...triggers.keywords.map((text) => from("keyword", text)),
    ...of("trigger").map((text) => from("when-to-use", asMessage(text))),
  ];
  const own = withoutRepeats(claimed);
  if (own.length >= ENOUGH) return own;
  return withoutRepeats([...own, ...of("description").map((text) => from("description", asMessage(text)))]);
}

function from(source: PhraseSource, text: string): OwnPhrase {
  return { source, text: text.slice(0, MAX_PHRASE_CHARACTERS).trim() };
}

// Nobody says "Use when the user asks to …" to an agent, and every skill has these words.
const INTRODUCTION =
  /^(?:always |also )?(?:use|trigger|invoke|activate|apply)(?: (?:this|it))?(?: skill)?(?: (?:when(?:ever)?|if|for|to))?(?: (?:the )?users? (?:asks?|wants?|needs?|mentions?|says?)(?: (?:to|for|about))?)?[\s:,]+/i;

function asMessage(sentence: string): string {
  return sentence.replace(INTRODUCTION, "");
}

function withoutRepeats(phrases: readonly OwnPhrase[]): readonly OwnPhrase[] {
  const seen = new Set<string>();
  return phrases.filter(({ text }) => {
    const key = text.replace(/\s+/g, " ").toLowerCase();
    if (seen.has(key) || topicWords(text).length === 0) return false;
    seen.add(key);
    return true;
  });
}
