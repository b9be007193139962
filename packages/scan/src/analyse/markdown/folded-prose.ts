import { foldText } from "../../text/fold-text.ts";
import { isPlain } from "../../text/ignorable.ts";

/** A text of which spans are folded; plain ASCII, which most is, in one go. */
export class FoldedProse {
  readonly text: string;
  readonly #lower: string | undefined;

  constructor(text: string) {
    this.text = text;
    this.#lower = isPlain(text) ? text.toLowerCase() : undefined;
  }

  slice(from: number, to: number): string {
    return this.#lower === undefined ? foldText(this.text.slice(from, to)) : this.#lower.slice(from, to);
  }
}
