import type { SecretForm } from "./secret-forms.ts";

// At most the longest form plus this many bytes is held back.
const MAX_HIDDEN_BYTES = 4096;

/** Every byte, skipped or not, costs the same; misses forms interrupted by more than MAX_HIDDEN_BYTES. */
export class ViewMatcher {
  readonly #automaton: FormAutomaton;
  /** The stream positions of the last bytes seen, in a ring with room for the longest form. */
  readonly #places: Float64Array;
  #node: Node;
  #seen = 0;
  #end = 0;

  constructor(automaton: FormAutomaton) {
    this.#automaton = automaton;
    this.#node = automaton.root;
    this.#places = new Float64Array(2 ** Math.ceil(Math.log2(automaton.longest + 1)));
  }

  /** A copy in the same state, which may be given different bytes from now on. */
  copy(): ViewMatcher {
    const copy = new ViewMatcher(this.#automaton);
    copy.#places.set(this.#places);
    copy.#node = this.#node;
    copy.#seen = this.#seen;
    copy.#end = this.#end;
    return copy;
  }

  /** Returns the forms that end in the chunk; bytes whose entry in `hidden` is not 0 are skipped. */
  read(chunk: Uint8Array, hidden?: Uint8Array | undefined): Span[] {
    const spans: Span[] = [];
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
      this.#node = this.#automaton.step(this.#node, chunk[index] ?? 0);
      const { ending } = this.#node;
      if (ending === undefined) continue;
      const end = this.#end;
      addSpan(spans, { start: this.#placeBack(ending.bytes.length), end, name: ending.name, nameEnd: end });
    }
    return spans;
  }

  /** The first position in the stream that could still become part of a form. */
  get pendingFrom(): number {
    const { depth } = this.#node;
    return depth === 0 ? this.#end : this.#placeBack(depth);
  }

  #placeBack(bytes: number): number {
    return this.#places[(this.#seen - bytes) & (this.#places.length - 1)] ?? 0;
  }

  // Stops following beginnings of forms in which too many bytes have been skipped.
  #giveUp(): void {
    while (this.#node.depth > 0) {
      const { depth } = this.#node;
      if (this.#end - this.#placeBack(depth) - depth <= MAX_HIDDEN_BYTES) return;
      this.#node = this.#automaton.shorten(this.#node);
    }
  }
}

/** Bytes of the stream that are removed together, and the name shown in their place. */
export interface Span {
  start: number;
  end: number;
  name: string;
  nameEnd: number;
}

/** Adds a span that ends after all others, and merges it with those that it overlaps. */
export function addSpan(spans: Span[], span: Span): void {
  const whole = { ...span };
  for (let last = spans.at(-1); last !== undefined && last.end > whole.start; last = spans.at(-1)) {
    if (namesBefore(last, whole)) Object.assign(whole, { name: last.name, nameEnd: last.nameEnd });
    whole.start = Math.min(whole.start, last.start);
    spans.pop();
  }
  spans.push(whole);
}

/**
 * The span that begins first gives its name; if two begin together, the longer one. The order of merging must
 * not matter, because it depends on the chunks.
 */
function namesBefore(left: Span, right: Span): boolean {
  if (left.start !== right.start) return left.start < right.start;
  return left.nameEnd === right.nameEnd ? left.name < right.name : left.nameEnd > right.nameEnd;
}

/** A prefix of forms: the bytes on the path from the root. */
interface Node {
  readonly byte: number;
  readonly depth: number;
  // Children as a list: a table per node would take too much memory.
  firstChild?: Node;
  sibling?: Node;
  /** The longest other prefix that these bytes end with; absent: the root. */
  fallback?: Node;
  /** The longest form that ends here. */
  ending?: SecretForm;
}

/** Aho-Corasick: linear in the bytes read for any forms and text, so no script can slow down the redactor. */
export class FormAutomaton {
  readonly root: Node = { byte: 0, depth: 0 };
  readonly longest: number;
  // Most steps end at the root, so its children have a table.
  readonly #first: (Node | undefined)[] = [];

  constructor(forms: readonly SecretForm[]) {
    this.longest = forms.reduce((most, { bytes }) => Math.max(most, bytes.length), 0);
    for (const form of forms) {
      let node = this.root;
      for (const byte of form.bytes) node = this.#child(node, byte) ?? this.#grow(node, byte);
      // If two secrets have the same form, the first one counts.
      if (node !== this.root) node.ending ??= form;
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

  // Breadth-first, because a fallback is always nearer to the root.
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
// A terminal also ends a string at these: nothing can hide the rest of a stream.
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
 * Recognises the same sequences as stripTerminal, except the 8-bit forms and the text that unfinished ones
 * show: programs do not usually write either.
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
