// At most the longest pattern and this much is held back.
const MAX_HIDDEN_BYTES = 4096;

/**
 * Finds patterns in a stream of which some bytes are passed over, and says where they lie in the whole stream.
 *
 * Each byte costs the same, whatever is passed over; a pattern with more than a few thousand such bytes in it is not found.
 */
export class ViewMatcher {
  readonly #automaton: PatternAutomaton;
  /** The places in the stream of the bytes seen last, in a ring that has room for the longest pattern. */
  readonly #places: Float64Array;
  #state: AutomatonState = 0;
  #seen = 0;
  #end = 0;

  constructor(automaton: PatternAutomaton) {
    this.#automaton = automaton;
    this.#places = new Float64Array(2 ** Math.ceil(Math.log2(automaton.longest + 1)));
  }

  /** One that knows the same, and may see something else from now on. */
  copy(): ViewMatcher {
    const copy = new ViewMatcher(this.#automaton);
    copy.#places.set(this.#places);
    copy.#state = this.#state;
    copy.#seen = this.#seen;
    copy.#end = this.#end;
    return copy;
  }

  /** Reads on, and reports each pattern that ends in the chunk; bytes whose place in `hidden` is not 0 are passed over. */
  read(
    chunk: Uint8Array,
    hidden: Uint8Array | undefined,
    onFound: (pattern: number, start: number, end: number) => void,
  ): void {
    const automaton = this.#automaton;
    const places = this.#places;
    const mask = places.length - 1;
    for (let index = 0; index < chunk.length; index++) {
      this.#end += 1;
      if (hidden !== undefined && hidden[index] !== 0) {
        this.#giveUp();
        continue;
      }
      places[this.#seen & mask] = this.#end - 1;
      this.#seen += 1;
      this.#state = automaton.step(this.#state, chunk[index] ?? 0);
      const match = automaton.match(this.#state);
      if (match !== undefined) onFound(match.pattern, this.#placeBack(match.length), this.#end);
    }
  }

  /** The first place of the stream that could still become part of a pattern. */
  get pendingFrom(): number {
    const pending = this.#automaton.pendingBytes(this.#state);
    return pending === 0 ? this.#end : this.#placeBack(pending);
  }

  #placeBack(bytes: number): number {
    return this.#places[(this.#seen - bytes) & (this.#places.length - 1)] ?? 0;
  }

  // Beginnings of patterns in which too many bytes were passed over by now are no longer followed.
  #giveUp(): void {
    while (this.#state !== 0) {
      const pending = this.#automaton.pendingBytes(this.#state);
      if (this.#end - this.#placeBack(pending) - pending <= MAX_HIDDEN_BYTES) return;
      this.#state = this.#automaton.shorten(this.#state);
    }
  }
}

/** The state of an automaton after some bytes; 0 at the start. */
type AutomatonState = number;

/**
 * Finds many byte strings in one pass (Aho and Corasick).
 *
 * Steps are linear in the bytes read, whatever the patterns and the text, so a script cannot make a redactor slow.
 */
export class PatternAutomaton {
  readonly longest: number;
  // Children of a node as a list; only the root, where most steps end, has a table.
  readonly #root = new Int32Array(256);
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
    this.longest = this.#lengths.reduce((most, length) => Math.max(most, length), 0);
    for (const [index, pattern] of patterns.entries()) {
      let node = 0;
      for (const byte of pattern) node = this.#child(node, byte) || this.#grow(node, byte);
      // Of two equal patterns the first one counts.
      if (node !== 0 && this.#ending[node] === 0) this.#ending[node] = index + 1;
    }
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

  match(state: AutomatonState): { readonly pattern: number; readonly length: number } | undefined {
    const ending = this.#ending[state] ?? 0;
    return ending === 0 ? undefined : { pattern: ending - 1, length: this.#lengths[ending - 1] ?? 0 };
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
// OSC, DCS, SOS, PM and APC carry a string.
const STRINGS = [0x5d, 0x50, 0x58, 0x5e, 0x5f];
// A terminal stops at these too: nothing can hide the rest of a stream.
const STRING_BREAKS = [0x0a, 0x0d, 0x18, 0x1a];

type State = "text" | "escape" | "short" | "control" | "string" | "string-escape";

// `end`: this byte is the last of a sequence. `broken`: the sequence breaks off before this byte.
const NEXT: Readonly<Record<State, (byte: number) => State | "end" | "broken">> = {
  text: (byte) => (byte === ESCAPE ? "escape" : "text"),
  escape: (byte) => {
    if (byte === 0x5b) return "control";
    return STRINGS.includes(byte) ? "string" : NEXT.short(byte);
  },
  short: (byte) => inSequence(byte, "short", 0x30),
  control: (byte) => inSequence(byte, "control", 0x40),
  string: (byte) => {
    if (byte === ESCAPE) return "string-escape";
    if (byte === BELL) return "end";
    return STRING_BREAKS.includes(byte) ? "broken" : "string";
  },
  "string-escape": (byte) => (byte === 0x5c ? "end" : NEXT.escape(byte)),
};

function inSequence(byte: number, state: "short" | "control", firstEnd: number): State | "end" | "broken" {
  if (byte < 0x20 || byte >= 0x7f) return "broken";
  return byte < firstEnd ? state : "end";
}

/**
 * Tells the bytes of a stream that are text from those of escape sequences, one at a time.
 *
 * It follows stripTerminal in what a sequence is, except for its 8-bit forms and for what an unfinished one shows: no
 * program writes either by habit.
 */
export class EscapeFilter {
  #state: State = "text";

  hides(byte: number): boolean {
    let next = NEXT[this.#state](byte);
    if (next === "broken") next = NEXT.text(byte);
    this.#state = next === "end" || next === "broken" ? "text" : next;
    return next !== "text";
  }
}
