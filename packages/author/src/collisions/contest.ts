import type { SelectedSkill, Skill } from "@skillet/core";
import { compareByteOrder } from "@skillet/kit/order";
import { stemWord } from "@skillet/kit/words";
import { hasWord, headerWords, topicWords } from "../triggers/advise-author.ts";
import type { CollisionDirection, ContestedPhrase } from "./collision.ts";
import type { OwnPhrase } from "./phrases-of.ts";

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
