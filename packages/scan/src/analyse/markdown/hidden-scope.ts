import { wordSet } from "../../word-list.ts";
import { type MarkupAttribute, readTag } from "./markup-tokens.ts";
import type { Prose } from "./prose-reader.ts";
import type { InlineSpan, Inlines } from "./read-inlines.ts";
import { TextMap } from "./text-map.ts";

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
const VOID_ELEMENTS: ReadonlySet<string> = wordSet(
  "area base br col embed hr img input link meta param source track wbr",
);

function isInvisible(attributes: readonly MarkupAttribute[]): boolean {
  return attributes.some(hides);
}

function hides({ name, value }: MarkupAttribute): boolean {
  switch (name) {
    case "style":
      return isHiddenStyle(value);
    case "hidden":
      return value.toLowerCase() !== "until-found";
    case "aria-hidden":
      return value.toLowerCase() === "true";
    case "class":
      return HIDING_CLASS.test(value);
    case "display":
      return value === "none";
    case "visibility":
      return value === "hidden";
    case "opacity":
    case "fill-opacity":
    case "font-size":
      return /^\s{0,4}(?:0?\.0|0)\d{0,4}(?:px|pt|em|rem|%)?\s{0,4}$/.test(value);
    case "color":
    case "fill":
      return /^(?:transparent|white|#fff(?:fff)?)$/i.test(value.trim());
    default:
      return false;
  }
}

const HIDING_CLASS = /(?:^|\s)(?:sr-only|visually-hidden|d-none|invisible|hidden)(?:\s|$)/;
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
const COLOUR = /(?:^|;)color:([^;!]{1,40})/;
const GROUND = /(?:^|;)background(?:-color)?:([^;!]{1,40})/;

function isOnOwnColour(compact: string): boolean {
  const colour = COLOUR.exec(compact)?.[1];
  if (colour === undefined) return false;
  const ground = GROUND.exec(compact)?.[1];
  // A document that names no ground is white.
  return plainColour(colour) === plainColour(ground ?? "white");
}

function plainColour(colour: string): string {
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/.exec(colour);
  if (short !== null)
    return plainColour(`#${short[1]}${short[1]}${short[2]}${short[2]}${short[3]}${short[3]}`);
  if (colour === "#ffffff" || /^rgba?\(255,255,255(?:,1)?\)$/.test(colour)) return "white";
  if (colour === "#000000" || /^rgba?\(0,0,0(?:,1)?\)$/.test(colour)) return "black";
  return colour;
}

interface MarkupVisitor {
  readonly comment: (text: string, offset: number) => void;
  readonly tag: (text: string, offset: number) => void;
}

export function hiddenSpans(
  inlines: Inlines,
  scope: HiddenScope,
  visit: MarkupVisitor,
): readonly InlineSpan[] {
  const spans: InlineSpan[] = [];
  let hiddenFrom = scope.isHidden ? 0 : -1;
  for (const { type, text, offset, at } of inlines.markup) {
    if (type === "comment") {
      visit.comment(text.replace(/^<(?:!--|\?)/, "").replace(/(?:--|\?)>$/, ""), offset);
      continue;
    }
    if (text.startsWith("</")) scope.close(/^<\/([^\s>]{1,64})/.exec(text)?.[1]?.toLowerCase() ?? "");
    else {
      visit.tag(text, offset);
      const tag = readTag(text, 0);
      if (tag !== undefined && !tag.isClosed) scope.open(tag.name, tag.attributes);
    }
    if (scope.isHidden && hiddenFrom === -1) hiddenFrom = at;
    else if (!scope.isHidden && hiddenFrom !== -1) {
      if (at > hiddenFrom) spans.push({ from: hiddenFrom, to: at });
      hiddenFrom = -1;
    }
  }
  if (hiddenFrom !== -1 && hiddenFrom < inlines.text.length)
    spans.push({ from: hiddenFrom, to: inlines.text.length });
  return spans;
}

/** The prose with those spans cut out: what stands around them reads as one, as it does on the page. */
export function withoutSpans(prose: Prose, spans: readonly InlineSpan[]): Prose {
  if (spans.length === 0) return prose;
  const shown = new TextMap();
  const starts: number[] = [];
  const removed: number[] = [];
  let copied = 0;
  let total = 0;
  for (const span of spans) {
    shown.add(prose.text.slice(copied, span.from), copied);
    copied = span.to;
    starts.push(span.from);
    removed.push(total);
    total += span.to - span.from;
  }
  shown.add(prose.text.slice(copied), copied);
  const shift = <Span extends InlineSpan>(span: Span): Span[] => {
    const before = starts.findLastIndex((start) => start <= span.from);
    const hiding = spans[before];
    if (hiding === undefined) return [span];
    if (span.from < hiding.to) return [];
    const by = (removed[before] ?? 0) + hiding.to - hiding.from;
    return [{ ...span, from: span.from - by, to: span.to - by }];
  };
  return {
    text: shown.toString(),
    code: prose.code.slice(0, MAX_SHIFTED).flatMap(shift),
    links: prose.links.slice(0, MAX_SHIFTED).flatMap(shift),
    sourceOffset: (offset) => prose.sourceOffset(shown.sourceOffset(offset)),
  };
}

export function spanOf(prose: Prose, { from, to }: InlineSpan): Prose {
  const inside = <Span extends InlineSpan>(span: Span): Span[] =>
    span.from >= from && span.to <= to ? [{ ...span, from: span.from - from, to: span.to - from }] : [];
  return {
    text: prose.text.slice(from, to),
    code: prose.code.slice(0, MAX_SHIFTED).flatMap(inside),
    links: prose.links.slice(0, MAX_SHIFTED).flatMap(inside),
    sourceOffset: (offset) => prose.sourceOffset(from + offset),
  };
}

// Only paragraphs that hide something come here; the bound keeps those with thousands of links linear.
const MAX_SHIFTED = 256;
