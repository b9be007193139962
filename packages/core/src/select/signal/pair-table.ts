import { MAX_TERMS } from "./message.ts";

const SATURATION = 1.2;
const USUAL_HEADER_TERMS = 70;

/** Counts which neighbours of a message are neighbours in a header too, and scores them as BM25 does. */
export class PairTable {
  // By first and second term: the pair's number and one, or 0.
  readonly #numbers: Uint16Array = new Uint16Array(MAX_TERMS * MAX_TERMS);
  readonly #rarity: number[] = [];
  readonly #counts: Float64Array;

  constructor(sequence: readonly number[], rarity: Float64Array) {
    for (let index = 1; index < sequence.length; index += 1) {
      const left = sequence[index - 1] ?? -1;
      const right = sequence[index] ?? -1;
      if (left < 0 || right < 0 || this.#numbers[left * MAX_TERMS + right] !== 0) continue;
      // There is no index of pairs to count them by: two rare words make a rare pair.
      this.#rarity.push(((rarity[left] ?? 0) + (rarity[right] ?? 0)) / 2);
      this.#numbers[left * MAX_TERMS + right] = this.#rarity.length;
    }
    this.#counts = new Float64Array(this.#rarity.length);
  }

  clear(): void {
    this.#counts.fill(0);
  }

  has(left: number, right: number, use: "count" | "compare"): boolean {
    const number = this.#numbers[left * MAX_TERMS + right] as number;
    if (number === 0) return false;
    if (use === "count") this.#counts[number - 1] = (this.#counts[number - 1] as number) + 1;
    return true;
  }

  score(headerTerms: number): number {
    const norm = SATURATION * (0.5 + (0.5 * headerTerms) / USUAL_HEADER_TERMS);
    let score = 0;
    for (let pair = 0; pair < this.#counts.length; pair += 1) {
      const count = this.#counts[pair] as number;
      if (count > 0) score += ((this.#rarity[pair] as number) * count) / (count + norm);
    }
    return score;
  }
}
