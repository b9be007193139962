import { lastAtMost } from "../../text/source-text.ts";
import { wordSet } from "../../word-list.ts";
import { decodeEntities } from "./decode-entities.ts";

export interface MarkupAttribute {
  readonly name: string;
  readonly value: string;
  readonly offset: number;
}

export interface MarkupTag {
  readonly name: string;
  readonly attributes: readonly MarkupAttribute[];
  readonly isClosed: boolean;
  readonly offset: number;
}

interface MarkupPiece {
  readonly text: string;
  readonly offset: number;
}

export interface MarkupText {
  readonly visible: TextMap;
  readonly hidden: TextMap;
  readonly comments: readonly MarkupPiece[];
  readonly declarations: readonly MarkupPiece[];
  readonly tags: readonly MarkupTag[];
  readonly raw: readonly (MarkupPiece & { readonly name: string })[];
}

/**
 * Reads markup as browsers do, in one pass: an unclosed element extends to the end. Text continues over
 * inline tags, which may split words, and breaks at others. Tags that HTML does not know are text.
 */
export function readMarkup(text: string, scope: HiddenScope): MarkupText {
  const read = {
    visible: new TextMap(),
    hidden: new TextMap(),
    comments: [] as MarkupPiece[],
    declarations: [] as MarkupPiece[],
    tags: [] as MarkupTag[],
    raw: [] as (MarkupPiece & { readonly name: string })[],
  };
  const shown = (): TextMap => (scope.isHidden ? read.hidden : read.visible);
  const addText = (from: number, to: number): void => shown().add(decodeEntities(text.slice(from, to)), from);
  const breakAt = (name: string, offset: number): void => {
    if (!INLINE_ELEMENTS.has(name) && isKnownElement(name)) shown().add("\n\n", offset);
  };
  let at = 0;
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    addText(at, match.index);
    at = TOKEN.lastIndex;
    const { comment, data, instruction, declaration = instruction, close, end } = match.groups ?? {};
    const piece = (part: string): MarkupPiece => ({
      text: part,
      offset: match.index + match[0].indexOf(part, 2),
    });
    if (comment !== undefined) read.comments.push(piece(comment));
    else if (declaration !== undefined) read.declarations.push(piece(declaration));
    else if (data !== undefined)
      addText(match.index + CDATA.length, match.index + CDATA.length + data.length);
    else if (match[0].startsWith("</")) {
      const name = (close ?? "").toLowerCase();
      breakAt(name, match.index);
      scope.close(name);
    } else if (end === undefined) addText(match.index, at);
    else {
      const tag = readTag(match[0], match.index);
      if (!isKnownElement(tag.name)) shown().add(match[0], match.index);
      read.tags.push(tag);
      breakAt(tag.name, match.index);
      if (tag.isClosed) continue;
      scope.open(tag.name, tag.attributes);
      const closing = RAW_ELEMENTS.get(tag.name);
      if (closing === undefined) continue;
      closing.lastIndex = at;
      const stop = closing.exec(text)?.index ?? text.length;
      read.raw.push({ name: tag.name, text: text.slice(at, stop), offset: at });
      at = stop;
      TOKEN.lastIndex = stop;
    }
  }
  addText(at, text.length);
  return read;
}

export function readTag(tag: string, offset: number): MarkupTag {
  const name = /^<\s*([A-Za-z][^\s/>]{0,63})/.exec(tag)?.[1] ?? "";
  const attributes: MarkupAttribute[] = [];
  const rest = tag.slice(0, -1);
  for (const match of rest.slice(1 + name.length).matchAll(ATTRIBUTE)) {
    const [, written = "", double, single, bare] = match;
    const [start] = match.indices?.[2] ?? match.indices?.[3] ?? match.indices?.[4] ?? [match.index];
    const value = decodeEntities(double ?? single ?? bare ?? "");
    attributes.push({ name: written.toLowerCase(), value, offset: offset + 1 + name.length + start });
  }
  return { name: name.toLowerCase(), attributes, isClosed: rest.endsWith("/"), offset };
}

const CDATA = "<![CDATA[";
// A quotation mark counts only after an equals sign, not in `<p don't>`. A DOCTYPE may declare entities in brackets.
const TOKEN =
  /<!--(?<comment>[\s\S]*?)(?:-->|$)|<!\[CDATA\[(?<data>[\s\S]*?)(?:\]\]>|$)|<\?(?<instruction>[\s\S]*?)(?:\?>|$)|<!(?<declaration>[^>[]*\[[\s\S]*?(?=\]>|$)|[^>]*)(?:\]?>|$)|<\/(?<close>[A-Za-z][^\s/>]{0,63})?[^>]*(?:>|$)|<[A-Za-z](?:=\s*"[^"]*"|=\s*'[^']*'|=(?!\s*["'])|[^>=])*(?:(?<end>>)|[\s\S]*$)/g;
const ATTRIBUTE = /([^\s/][^\s/=]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|(\S*)))?/dg;
const RAW_ELEMENTS: ReadonlyMap<string, RegExp> = new Map([
  ["script", /<\/script/gi],
  ["style", /<\/style/gi],
]);

/** Whether HTML or SVG has an element of this name; others in prose are placeholders, or imitate a system's own tags. */
export function isKnownElement(name: string): boolean {
  return INLINE_ELEMENTS.has(name) || OTHER_ELEMENTS.has(name);
}

const INLINE_ELEMENTS: ReadonlySet<string> = wordSet(`
  a abbr b bdi bdo big cite code data del dfn em font i ins kbd mark q s samp small span strike strong sub
  sup time tt u var wbr tspan
`);
const OTHER_ELEMENTS: ReadonlySet<string> = wordSet(`
  address area article aside audio base blockquote body br button canvas caption center
  col colgroup datalist dd details dialog div dl dt embed fieldset figcaption
  figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe img input label
  legend li link main map menu meta meter nav noscript object ol optgroup option p param picture pre
  progress rp rt ruby script search section select slot source style
  summary svg table tbody td template textarea tfoot th thead title tr track ul video g path
  rect circle ellipse line polyline polygon text defs use image symbol marker mask pattern filter
  foreignobject animate animatetransform set desc metadata clippath lineargradient radialgradient stop
`);

/** A text assembled from pieces of another, with the source offset of each. */
export class TextMap {
  readonly #pieces: string[] = [];
  readonly #starts: number[] = [];
  readonly #sources: number[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(text: string, source: number): void {
    if (text === "") return;
    this.#starts.push(this.#length);
    this.#sources.push(source);
    this.#pieces.push(text);
    this.#length += text.length;
  }

  toString(): string {
    return this.#pieces.join("");
  }

  sourceOffset(offset: number): number {
    const low = lastAtMost(this.#starts, offset);
    return (this.#sources[low] ?? 0) + offset - (this.#starts[low] ?? 0);
  }
}

/** Tracks which elements are open, and whether one of them hides its content. */
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
  // The default background is white.
  const ground = /(?:^|;)background(?:-color)?:([^;!]{1,40})/.exec(compact)?.[1] ?? "white";
  return colour !== undefined && plainColour(colour) === plainColour(ground);
}

function plainColour(colour: string): string {
  return colour
    .replace(/^#(.)(.)(.)$/, "#$1$1$2$2$3$3")
    .replace(/^(?:#ffffff|rgba?\(255,255,255(?:,1)?\))$/, "white")
    .replace(/^(?:#000000|rgba?\(0,0,0(?:,1)?\))$/, "black");
}
