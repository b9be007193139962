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

const BYTES = 256;

/** What an automaton knows after some bytes: a number, 0 at the start. */
type AutomatonState = number;

/**
 * Finds many byte strings in one pass (Aho and Corasick).
 *
 * Steps are linear in the bytes read, whatever the patterns and whatever the text: nobody can make a redactor slow.
 */
export class PatternAutomaton {
  // Children of a node as a list; only the root, where most steps end, has a table.
  readonly #root = new Int32Array(BYTES);
  readonly #byte: number[] = [0];
  readonly #firstChild: number[] = [0];
  readonly #sibling: number[] = [0];
  readonly #fallback: number[] = [0];
  readonly #depth: number[] = [0];
  // The longest pattern that ends here, by its number from 1 on.
  readonly #ending: number[] = [0];
  readonly #lengths: readonly number[];

  constructor(patterns: readonly Uint8Array[]) {
    this.#lengths = patterns.map(({ length }) => length);
    patterns.forEach((pattern, index) => {
      this.#insert(pattern, index + 1);
    });
    this.#link();
  }

  step(from: AutomatonState, byte: number): AutomatonState {
    for (let state = from; state !== 0; state = this.#fallback[state] ?? 0) {
      const child = this.#child(state, byte);
      if (child !== 0) return child;
    }
    return this.#root[byte] ?? 0;
  }

  /** The longest other beginning of a pattern that the bytes read so far end with. */
  shorten(state: AutomatonState): AutomatonState {
    return this.#fallback[state] ?? 0;
  }

  /** How many of the bytes read so far could still become part of a pattern. */
  pendingBytes(state: AutomatonState): number {
    return this.#depth[state] ?? 0;
  }

  /** The longest pattern that ends with the byte read last; nothing when none does. */
  match(state: AutomatonState): { readonly pattern: number; readonly length: number } | undefined {
    const ending = this.#ending[state] ?? 0;
    return ending === 0 ? undefined : { pattern: ending - 1, length: this.#lengths[ending - 1] ?? 0 };
  }

  #insert(pattern: Uint8Array, number: number): void {
    let node = 0;
    for (const byte of pattern) node = this.#child(node, byte) || this.#grow(node, byte);
    // Of two equal patterns the first one counts.
    if (node !== 0 && this.#ending[node] === 0) this.#ending[node] = number;
  }

  #child(node: number, byte: number): number {
    if (node === 0) return this.#root[byte] ?? 0;
    let child = this.#firstChild[node] ?? 0;
    while (child !== 0 && this.#byte[child] !== byte) child = this.#sibling[child] ?? 0;
    return child;
  }

  #grow(parent: number, byte: number): number {
    const node = this.#byte.push(byte) - 1;
    this.#firstChild.push(0);
    this.#sibling.push(this.#firstChild[parent] ?? 0);
    this.#fallback.push(0);
    this.#depth.push((this.#depth[parent] ?? 0) + 1);
    this.#ending.push(0);
    this.#firstChild[parent] = node;
    if (parent === 0) this.#root[byte] = node;
    return node;
  }

  // In order of depth, because a fallback is always nearer to the root.
  #link(): void {
    const queue = [0];
    for (let index = 0; index < queue.length; index++) {
      const parent = queue[index] ?? 0;
      for (let child = this.#firstChild[parent] ?? 0; child !== 0; child = this.#sibling[child] ?? 0) {
        queue.push(child);
        if (parent === 0) continue;
        const fallback = this.step(this.#fallback[parent] ?? 0, this.#byte[child] ?? 0);
        this.#fallback[child] = fallback;
        if (this.#ending[child] === 0) this.#ending[child] = this.#ending[fallback] ?? 0;
      }
    }
  }
}

const ESCAPE = 0x1b;
const BELL = 0x07;

type State = "text" | "escape" | "short" | "control" | "string" | "string-escape";

/**
 * Tells the bytes of a stream that are text from those of escape sequences, one at a time.
 *
 * It follows stripTerminal in what a sequence is, except for its 8-bit forms and for what an unfinished one shows: both
 * are nothing that a program writes by habit.
 */
export class EscapeFilter {
  #state: State = "text";

  /** Whether it stands outside of any sequence. */
  get isInText(): boolean {
    return this.#state === "text";
  }

  /** Whether the next byte is part of an escape sequence. */
  hides(byte: number): boolean {
    const next = nextState(this.#state, byte) ?? nextState("text", byte) ?? "text";
    // The last byte of a sequence leads back to the text, but is none.
    const isText = next === "text" && !endsSequence(this.#state, byte);
    this.#state = next;
    return !isText;
  }
}

/** Undefined when a sequence breaks off before this byte. */
function nextState(state: State, byte: number): State | undefined {
  switch (state) {
    case "text":
      return byte === ESCAPE ? "escape" : "text";
    case "escape":
    case "string-escape":
      return afterEscape(state, byte);
    case "short":
      return isIntermediate(byte) ? "short" : endsSequence(state, byte) ? "text" : undefined;
    case "control":
      return byte >= 0x20 && byte < 0x40 ? "control" : endsSequence(state, byte) ? "text" : undefined;
    case "string":
      if (byte === ESCAPE) return "string-escape";
      if (byte === BELL) return "text";
      // What a terminal stops at, too: nothing can hide the rest of a stream.
      return [0x0a, 0x0d, 0x18, 0x1a].includes(byte) ? undefined : "string";
  }
}

function afterEscape(state: "escape" | "string-escape", byte: number): State | undefined {
  if (state === "string-escape" && byte === 0x5c) return "text";
  if (byte === 0x5b) return "control";
  // OSC, DCS, SOS, PM and APC carry a string.
  if ([0x5d, 0x50, 0x58, 0x5e, 0x5f].includes(byte)) return "string";
  if (isIntermediate(byte)) return "short";
  return endsSequence("escape", byte) ? "text" : undefined;
}

function isIntermediate(byte: number): boolean {
  return byte >= 0x20 && byte < 0x30;
}

function endsSequence(state: State, byte: number): boolean {
  if (state === "text") return false;
  if (state === "string") return byte === BELL;
  return byte >= (state === "control" ? 0x40 : 0x30) && byte < 0x7f;
}
