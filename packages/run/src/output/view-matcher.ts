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
  #node: Node;
  #seen = 0;
  #end = 0;

  constructor(automaton: PatternAutomaton) {
    this.#automaton = automaton;
    this.#node = automaton.root;
    const longest = automaton.lengths.reduce((most, length) => Math.max(most, length), 0);
    this.#places = new Float64Array(2 ** Math.ceil(Math.log2(longest + 1)));
  }

  /** One that knows the same, and may see something else from now on. */
  copy(): ViewMatcher {
    const copy = new ViewMatcher(this.#automaton);
    copy.#places.set(this.#places);
    copy.#node = this.#node;
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
      this.#node = automaton.step(this.#node, chunk[index] ?? 0);
      const { ending } = this.#node;
      if (ending !== undefined) onFound(ending, this.#placeBack(automaton.lengths[ending] ?? 0), this.#end);
    }
  }

  /** The first place of the stream that could still become part of a pattern. */
  get pendingFrom(): number {
    const { depth } = this.#node;
    return depth === 0 ? this.#end : this.#placeBack(depth);
  }

  #placeBack(bytes: number): number {
    return this.#places[(this.#seen - bytes) & (this.#places.length - 1)] ?? 0;
  }

  // Beginnings of patterns in which too many bytes were passed over by now are no longer followed.
  #giveUp(): void {
    while (this.#node.depth > 0) {
      const { depth } = this.#node;
      if (this.#end - this.#placeBack(depth) - depth <= MAX_HIDDEN_BYTES) return;
      this.#node = this.#automaton.shorten(this.#node);
    }
  }
}

/** A beginning of patterns: the bytes on the way from the root. */
interface Node {
  readonly byte: number;
  readonly depth: number;
  // Children as a list: a table for each node would take too much memory.
  firstChild?: Node;
  sibling?: Node;
  /** The longest other beginning that these bytes end with; absent: the root. */
  fallback?: Node;
  /** The longest pattern that ends here, by its index. */
  ending?: number;
}

/**
 * Finds many byte strings in one pass (Aho and Corasick).
 *
 * Steps are linear in the bytes read, whatever the patterns and the text, so a script cannot make a redactor slow.
 */
export class PatternAutomaton {
  readonly root: Node = { byte: 0, depth: 0 };
  readonly lengths: readonly number[];
  // Most steps end at the root, so its children have a table.
  readonly #first: (Node | undefined)[] = [];

  constructor(patterns: readonly Uint8Array[]) {
    this.lengths = patterns.map(({ length }) => length);
    for (const [index, pattern] of patterns.entries()) {
      let node = this.root;
      for (const byte of pattern) node = this.#child(node, byte) ?? this.#grow(node, byte);
      // Of two equal patterns the first one counts.
      if (node !== this.root) node.ending ??= index;
    }
    this.#link();
  }

  step(from: Node, byte: number): Node {
    for (let node = from; node !== this.root; node = this.shorten(node)) {
      const child = this.#child(node, byte);
      if (child !== undefined) return child;
    }
    return this.#first[byte] ?? this.root;
  }

  shorten({ fallback = this.root }: Node): Node {
    return fallback;
  }

  #child(node: Node, byte: number): Node | undefined {
    if (node === this.root) return this.#first[byte];
    let child = node.firstChild;
    while (child !== undefined && child.byte !== byte) child = child.sibling;
    return child;
  }

  #grow(parent: Node, byte: number): Node {
    const node: Node = { byte, depth: parent.depth + 1 };
    if (parent.firstChild !== undefined) node.sibling = parent.firstChild;
    parent.firstChild = node;
    if (parent === this.root) this.#first[byte] = node;
    return node;
  }

  // In order of depth, because a fallback is always nearer to the root.
  #link(): void {
    const queue = [this.root];
    for (const parent of queue)
      for (let child = parent.firstChild; child !== undefined; child = child.sibling) {
        queue.push(child);
        if (parent === this.root) continue;
        child.fallback = this.step(this.shorten(parent), child.byte);
        const { ending } = child.fallback;
        if (ending !== undefined) child.ending ??= ending;
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
