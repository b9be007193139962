const BYTES = 256;

/** What an automaton knows after some bytes: a number, 0 at the start. */
export type AutomatonState = number;

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
