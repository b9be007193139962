import { foldText } from "../../text/fold-text.ts";
import { isPlain } from "../../text/ignorable.ts";

/** A text of which spans are folded; plain ASCII, which most is, in one go. */
export class FoldedProse {
  readonly text: string;
  readonly #lower: string | undefined;
  /** The last span: a clause is judged as a whole, and then read, mostly as a whole again. */
  #last = { from: 0, to: 0, folded: "" };

  constructor(text: string) {
    this.text = text;
    this.#lower = isPlain(text) ? text.toLowerCase() : undefined;
  }

  slice(from: number, to: number): string {
    if (this.#lower !== undefined) return this.#lower.slice(from, to);
    if (this.#last.from !== from || this.#last.to !== to)
      this.#last = { from, to, folded: foldText(this.text.slice(from, to)) };
    return this.#last.folded;
  }
}
