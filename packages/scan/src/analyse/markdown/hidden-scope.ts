import { wordSet } from "../../word-list.ts";
import type { MarkupAttribute } from "./read-markup.ts";

/** Follows which elements are open, and whether one of them keeps its content off the page. */
export class HiddenScope {
  readonly #open: { readonly name: string; readonly isHidden: boolean }[] = [];
  #hidden = 0;

  get isHidden(): boolean {
    return this.#hidden > 0;
  }

  open(name: string, attributes: readonly MarkupAttribute[]): void {
    if (VOID_ELEMENTS.has(name) || this.#open.length >= MAX_OPEN) return;
    const isHidden = name === "template" || attributes.some(hides);
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
const VOID_ELEMENTS: ReadonlySet<string> = wordSet(
  "area base br col embed hr img input link meta param source track wbr",
);

function hides({ name, value }: MarkupAttribute): boolean {
  return name === "style" ? isHiddenStyle(value) : (HIDING_VALUES.get(name)?.test(value.trim()) ?? false);
}

const NOTHING = /^(?:0?\.0|0)\d{0,4}(?:px|pt|em|rem|%)?$/;
const WHITE = /^(?:transparent|white|#fff(?:fff)?)$/i;
const HIDING_VALUES: ReadonlyMap<string, RegExp> = new Map([
  ["hidden", /^(?!until-found$)/i],
  ["aria-hidden", /^true$/i],
  ["class", /(?:^|\s)(?:sr-only|visually-hidden|d-none|invisible|hidden)(?:\s|$)/],
  ["display", /^none$/],
  ["visibility", /^hidden$/],
  ["opacity", NOTHING],
  ["fill-opacity", NOTHING],
  ["font-size", NOTHING],
  ["color", WHITE],
  ["fill", WHITE],
]);
const MAX_STYLE_CHARACTERS = 4_000;

function isHiddenStyle(style: string): boolean {
  const compact = style
    .slice(0, MAX_STYLE_CHARACTERS)
    .replace(/\/\*[^*]{0,200}\*\//g, "")
    .replace(/\s+/g, "")
    .toLowerCase();
  return HIDING.test(compact) || isOnOwnColour(compact) || (CLIPPED.test(compact) && SMALL.test(compact));
}

const HIDING =
  /display:none|visibility:(?:hidden|collapse)|font-size:(?:0|0?\.\d{1,4}|1)(?:px|pt|em|rem|%)?(?![\d.])|(?:^|;)opacity:(?:0?\.0\d{0,4}|0)(?![.\d])|(?:^|;)(?:color|-webkit-text-fill-color):(?:transparent|rgba\(\d{1,3},\d{1,3},\d{1,3},0?\.?0\))|(?:left|top|right|bottom|text-indent|margin-left|margin-top):-\d{3,}|clip:rect\((?:0|1px)|clip-path:inset\((?:50|100)%|scale\(0\)|line-height:0(?![.\d])|max-height:0(?![.\d])/;
const CLIPPED = /overflow:(?:hidden|clip)/;
const SMALL = /(?:^|;)(?:width|height):(?:0|1px)/;

function isOnOwnColour(compact: string): boolean {
  const colour = /(?:^|;)color:([^;!]{1,40})/.exec(compact)?.[1];
  // A document that names no ground is white.
  const ground = /(?:^|;)background(?:-color)?:([^;!]{1,40})/.exec(compact)?.[1] ?? "white";
  return colour !== undefined && plainColour(colour) === plainColour(ground);
}

function plainColour(colour: string): string {
  return colour
    .replace(/^#(.)(.)(.)$/, "#$1$1$2$2$3$3")
    .replace(/^(?:#ffffff|rgba?\(255,255,255(?:,1)?\))$/, "white")
    .replace(/^(?:#000000|rgba?\(0,0,0(?:,1)?\))$/, "black");
}
