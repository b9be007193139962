import { isInvisible } from "./hidden-style.ts";
import type { MarkupAttribute } from "./markup-tokens.ts";

/** Follows opening and closing tags through a document and knows whether text there is seen. */
export class HiddenScope {
  readonly #open: { readonly name: string; readonly isHidden: boolean }[] = [];
  #hidden = 0;

  get isHidden(): boolean {
    return this.#hidden > 0;
  }

  open(name: string, attributes: readonly MarkupAttribute[]): void {
    if (VOID_ELEMENTS.has(name) || this.#open.length >= MAX_OPEN) return;
    const isHidden = name === "template" || (attributes.length > 0 && isInvisible(attributes));
    this.#open.push({ name, isHidden });
    if (isHidden) this.#hidden++;
  }

  close(name: string): void {
    const nearest = Math.max(0, this.#open.length - MAX_LOOK_BACK);
    let index = this.#open.length - 1;
    while (index >= nearest && this.#open[index]?.name !== name) index--;
    if (index < nearest) return;
    for (const element of this.#open.splice(index)) if (element.isHidden) this.#hidden--;
  }
}

const MAX_OPEN = 10_000;
// Keeps the search for an opening tag from growing with the document.
const MAX_LOOK_BACK = 64;
const VOID_ELEMENTS: ReadonlySet<string> = new Set(
  "area base br col embed hr img input link meta param source track wbr".split(" "),
);
