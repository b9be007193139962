import { STOP_WORDS } from "@skillet/kit/words";
import { CLAUSE_KINDS, findTerm, PHRASE_KIND, readClauses, type Segment } from "../index/segment.ts";
import type { SkillIndex } from "../index/skill-index.ts";
import { HASH_START, hashUnit } from "../text/hash-text.ts";
import type { Measured } from "./measure-signals.ts";
import type { Message } from "./message.ts";

const NAME_KIND = CLAUSE_KINDS.indexOf("name");

/** From which share of common word pairs two headers are one text. */
const ALIKE = 0.8;

/** A header of fewer pairs says too little to be anybody's copy. */
const LEAST_PAIRS = 6;

/**
 * Tells copies: skills whose headers say the same, whatever their names are.
 *
 * Two that differ in a word of the message are none for it, however much else they share: who asks to convert an invoice
 * means another skill than who asks to draft one.
 */
export class HeaderComparer {
  readonly #index: SkillIndex;
  readonly #message: Message;
  readonly #said = new Map<number, ReadonlyMap<number, number>>();
  readonly #common = new Map<Measured, string>();
  readonly #pairs = new Map<Measured, Uint32Array>();

  constructor(index: SkillIndex, message: Message) {
    this.#index = index;
    this.#message = message;
  }

  isAlike(left: Measured, right: Measured): boolean {
    if (left === right) return true;
    const { headerLength } = left.signals;
    const other = right.signals.headerLength;
    // The name is a part of both, and may be short or long: this only spares a look at what is far from alike.
    if (Math.min(headerLength, other) + NAME_TERMS < Math.max(headerLength, other) * ALIKE) return false;
    if (this.#commonOf(left) !== this.#commonOf(right)) return false;
    const [one, another] = [this.#pairsOf(left), this.#pairsOf(right)];
    if (Math.min(one.length, another.length) < LEAST_PAIRS) return false;
    const common = countCommon(one, another);
    return common >= ALIKE * (one.length + another.length - common);
  }

  /** Which words of the message stand in a header, as bits; cheap, and enough to tell most skills apart. */
  #commonOf(one: Measured): string {
    const known = this.#common.get(one);
    if (known !== undefined) return known;
    const { place, skill } = one.candidate;
    const segment = this.#index.parts[place]?.segment;
    let low = 0;
    let high = 0;
    if (segment !== undefined) {
      const said = this.#saidIn(place, segment);
      for (const { kind, start, end } of readClauses(segment, skill)) {
        if (kind === NAME_KIND || kind === PHRASE_KIND) continue;
        for (let at = start; at < end; at += 1) {
          const slot = said.get(segment.clauseTerms[at] as number) ?? -1;
          if (slot >= 32) high |= 1 << (slot - 32);
          else if (slot >= 0) low |= 1 << slot;
        }
      }
    }
    const common = `${low},${high}`;
    this.#common.set(one, common);
    return common;
  }

  /** The message's words by their numbers in a segment; at most 64, as the message has. */
  #saidIn(place: number, segment: Segment): ReadonlyMap<number, number> {
    const known = this.#said.get(place);
    if (known !== undefined) return known;
    const said = new Map<number, number>();
    this.#message.terms.forEach((term, slot) => {
      const number = STOP_WORDS.has(this.#message.words[slot] ?? term) ? -1 : findTerm(segment, term);
      if (number >= 0) said.set(number, slot);
    });
    this.#said.set(place, said);
    return said;
  }

  #pairsOf(one: Measured): Uint32Array {
    const known = this.#pairs.get(one);
    if (known !== undefined) return known;
    const { place, skill } = one.candidate;
    const segment = this.#index.parts[place]?.segment;
    const pairs = segment === undefined ? new Uint32Array() : readPairs(segment, skill);
    this.#pairs.set(one, pairs);
    return pairs;
  }
}

const NAME_TERMS = 8;

/** The hashes of neighbouring terms, ascending; of the texts of terms, because each segment numbers its own. */
function readPairs(segment: Segment, skill: number): Uint32Array {
  const pairs: number[] = [];
  for (const { kind, start, end } of readClauses(segment, skill)) {
    // What a skill is not for is a part of what it says: who denies what another promises is no copy of it.
    if (kind === NAME_KIND || kind === PHRASE_KIND) continue;
    let before = HASH_START;
    for (let at = start; at < end; at += 1) {
      const hash = hashTerm(segment, segment.clauseTerms[at] ?? 0);
      pairs.push(Math.imul(before, 31) ^ hash);
      before = hash;
    }
  }
  return Uint32Array.from(pairs).sort();
}

function hashTerm({ termUnits, termStarts }: Segment, term: number): number {
  let hash = HASH_START;
  const end = termStarts[term + 1] ?? 0;
  for (let unit = termStarts[term] ?? 0; unit < end; unit += 1)
    hash = hashUnit(hash, termUnits[unit] as number);
  return hash;
}

function countCommon(left: Uint32Array, right: Uint32Array): number {
  let common = 0;
  for (let at = 0, other = 0; at < left.length && other < right.length; ) {
    const difference = (left[at] as number) - (right[other] as number);
    if (difference === 0) common += 1;
    if (difference <= 0) at += 1;
    if (difference >= 0) other += 1;
  }
  return common;
}
