import type { AutomatonState, PatternAutomaton } from "./pattern-automaton.ts";

/** Where in the stream something was found. */
export interface FoundPattern {
  readonly pattern: number;
  readonly start: number;
  readonly end: number;
}

/** Bytes that were passed over: behind so many that were seen, and how many were passed over up to there. */
interface Gap {
  readonly seen: number;
  hidden: number;
}

// What is held back is at most the longest pattern and this.
const MAX_HIDDEN_BYTES = 4096;

/**
 * Finds patterns in a stream of which some bytes are passed over, and says where they lie in the whole stream.
 *
 * Each byte costs the same, whatever is passed over; a pattern with more than a few thousand such bytes in it is not found.
 */
export class ViewMatcher {
  readonly #automaton: PatternAutomaton;
  #state: AutomatonState = 0;
  #seen = 0;
  #hidden = 0;
  /** From `#firstGap` on those inside of what could still become a pattern, in order. */
  #gaps: Gap[] = [];
  #firstGap = 0;
  #hiddenBefore = 0;

  constructor(automaton: PatternAutomaton) {
    this.#automaton = automaton;
  }

  /** Whether both know the same, at the same place: from then on they find the same in bytes that both see. */
  agreesWith(other: ViewMatcher): boolean {
    return this.#state === other.#state && this.pendingFrom() === other.pendingFrom();
  }

  /** Reads on, and tells what ends in the chunk; bytes whose place in `hidden` is not 0 are passed over. */
  read(chunk: Uint8Array, onFound: (found: FoundPattern) => void, hidden?: Uint8Array): void {
    const automaton = this.#automaton;
    // Kept here while nothing is passed over: this runs for every byte of every script.
    let state = this.#state;
    let seen = this.#seen;
    for (let index = 0; index < chunk.length; index++) {
      if (hidden !== undefined && hidden[index] !== 0) {
        this.#state = state;
        this.#seen = seen;
        this.#passOver();
        state = this.#state;
        continue;
      }
      state = automaton.step(state, chunk[index] ?? 0);
      seen += 1;
      const match = automaton.match(state);
      if (match === undefined) continue;
      const start = this.#placeOf(seen - match.length);
      onFound({ pattern: match.pattern, start, end: seen + this.#hidden });
    }
    this.#state = state;
    this.#seen = seen;
  }

  /** Takes over what another one that it agreed with knows about bytes that both would see alike. */
  follow(other: ViewMatcher, bytes: number): void {
    this.#seen += bytes;
    this.#state = other.#state;
  }

  /** The first place of the stream that could still become part of a pattern. */
  pendingFrom(): number {
    this.#forgetGaps();
    return this.#placeOf(this.#seen - this.#automaton.pendingBytes(this.#state));
  }

  #passOver(): void {
    this.#hidden += 1;
    if (this.#state === 0 && this.#gaps.length === 0) {
      this.#hiddenBefore = this.#hidden;
      return;
    }
    const last = this.#firstGap < this.#gaps.length ? this.#gaps.at(-1) : undefined;
    if (last?.seen === this.#seen) last.hidden = this.#hidden;
    else {
      this.#forgetGaps();
      this.#gaps.push({ seen: this.#seen, hidden: this.#hidden });
    }
    while (this.#state !== 0 && this.#hidden - this.#hiddenBefore > MAX_HIDDEN_BYTES) {
      this.#state = this.#automaton.shorten(this.#state);
      this.#forgetGaps();
    }
  }

  #forgetGaps(): void {
    const from = this.#seen - this.#automaton.pendingBytes(this.#state);
    for (let gap = this.#gaps[this.#firstGap]; gap !== undefined && gap.seen <= from; ) {
      this.#hiddenBefore = gap.hidden;
      this.#firstGap += 1;
      gap = this.#gaps[this.#firstGap];
    }
    // Seldom, since it costs as much as there are.
    if (this.#firstGap === this.#gaps.length || this.#firstGap > MAX_HIDDEN_BYTES) {
      this.#gaps = this.#gaps.slice(this.#firstGap);
      this.#firstGap = 0;
    }
  }

  #placeOf(seen: number): number {
    let low = this.#firstGap;
    let high = this.#gaps.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#gaps[middle]?.seen ?? 0) <= seen) low = middle + 1;
      else high = middle;
    }
    const last = low > this.#firstGap ? this.#gaps[low - 1] : undefined;
    return seen + (last?.hidden ?? this.#hiddenBefore);
  }
}
