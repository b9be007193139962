import { splitWords, stemWord } from "@skillet/kit/words";
import type { Skill } from "../registry/skill.ts";
import { catalogEntry } from "./catalog-forms.ts";

/** No more of a message is looked at, nor more of its different words, nor of a description. */
const MAX_MESSAGE_CHARACTERS = 4096;
const MAX_TERMS = 64;
const MAX_DESCRIPTION_CHARACTERS = 2048;

/** A word in a name says more than one in a description, and the tenth time it comes it says nothing new. */
const NAME_WEIGHT = 5;
const SATURATION = 2.5;

/**
 * How much of a message each skill's name and description share, rare words counting more; by qualified name.
 *
 * @example
 * createCatalog(skills, { rank: { relevance: lexicalRelevance(skills, "fill in this tax form") } });
 */
export function lexicalRelevance(skills: readonly Skill[], message: string): ReadonlyMap<string, number> {
  const terms = new TermPlaces(message);
  const counts = skills.map((skill) => countTerms(skill, terms));
  const rarity = rarityOf(counts, terms.size);
  const scores = new Map<string, number>();
  skills.forEach(({ qualifiedName }, index) => {
    let score = 0;
    counts[index]?.forEach((count, term) => {
      score += ((rarity[term] ?? 0) * count) / (count + SATURATION);
    });
    if (score > 0) scores.set(qualifiedName, score);
  });
  return scores;
}

class TermPlaces {
  readonly #terms = new Map<string, number>();
  // Words repeat, and finding their stems takes longer than finding them here.
  readonly #words = new Map<string, number>();

  constructor(message: string) {
    for (const word of splitWords(message.slice(0, MAX_MESSAGE_CHARACTERS))) {
      const term = stemWord(word);
      if (this.size < MAX_TERMS && !this.#terms.has(term)) this.#terms.set(term, this.size);
    }
  }

  get size(): number {
    return this.#terms.size;
  }

  /** -1 for a word that is not in the message. */
  placeOf(word: string): number {
    const known = this.#words.get(word);
    if (known !== undefined) return known;
    const place = this.#terms.get(stemWord(word)) ?? -1;
    this.#words.set(word, place);
    return place;
  }
}

/** How often each term comes in a skill, weighted; undefined for the many that have none. */
function countTerms(skill: Skill, terms: TermPlaces): Float64Array | undefined {
  const { name, description } = catalogEntry(skill);
  let counts: Float64Array | undefined;
  const add = (text: string, weight: number): void => {
    for (const word of splitWords(text)) {
      const place = terms.placeOf(word);
      if (place < 0) continue;
      counts ??= new Float64Array(terms.size);
      counts[place] = (counts[place] ?? 0) + weight;
    }
  };
  add(name, NAME_WEIGHT);
  add(description.slice(0, MAX_DESCRIPTION_CHARACTERS), 1);
  return counts;
}

/** The inverse document frequency of each term, as BM25 has it. */
function rarityOf(counts: readonly (Float64Array | undefined)[], size: number): Float64Array {
  const having = new Float64Array(size);
  for (const own of counts) {
    own?.forEach((count, term) => {
      if (count > 0) having[term] = (having[term] ?? 0) + 1;
    });
  }
  return having.map((count) => Math.log(1 + (counts.length - count + 0.5) / (count + 0.5)));
}
