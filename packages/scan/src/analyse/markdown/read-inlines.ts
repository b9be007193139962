import type { SyntaxNodeRef } from "@lezer/common";
import { parser, Strikethrough } from "@lezer/markdown";
import { words } from "../../word-list.ts";
import { decodeEntities } from "./decode-entities.ts";
import { isKnownElement } from "./markup-words.ts";
import { TextMap } from "./text-map.ts";

export interface InlineSpan {
  readonly from: number;
  readonly to: number;
}

/** A link or an image as it stands in prose; `reference` where the address is defined elsewhere. */
export interface InlineLink extends InlineSpan {
  readonly role: "link" | "image";
  readonly url: string | undefined;
  readonly reference: string | undefined;
  readonly title: string;
}

interface InlineMarkup {
  readonly type: "tag" | "comment";
  readonly text: string;
  readonly offset: number;
  readonly at: number;
}

interface OpenLink {
  readonly start: number;
  url?: string | undefined;
  reference?: string | undefined;
  title: string;
}

export interface Inlines {
  readonly text: string;
  readonly code: readonly InlineSpan[];
  readonly links: readonly InlineLink[];
  readonly markup: readonly InlineMarkup[];
  readonly sourceOffset: (offset: number) => number;
}

/** Brackets without a target and tags that HTML does not know are text: `[system]` and `<system>` speak to a model. */
export function readInlines(text: string, from: number, defined: ReadonlyMap<string, string>): Inlines {
  if (!HAS_MARKS.test(text))
    return { text, code: [], links: [], markup: [], sourceOffset: (offset) => from + offset };
  const reader = new InlineReader(text, from, defined);
  if (reader.readSimple()) return reader.result();
  for (let start = 0; start < text.length; ) {
    const end = pieceEnd(text, start);
    reader.read(start, end);
    start = end;
  }
  return reader.result();
}

const HAS_MARKS = /[\\`*_~[\]<&]/;

const NEXT_MARK = new RegExp(HAS_MARKS, "g");

// Code in single backticks; `**` that can only begin or, after it, only end strong text; marks that stand for themselves; a
// link of plain words to a plain address.
const SIMPLE_MARK =
  /(?<!`)`[^`]+`(?!`)|(?<!\S)\*\*(?=[^\s*])|(?<=[^\s*])\*\*(?![^\s.,:;!?)])|(?<=\w)_+(?=\w)|[&<](?=\s)|(?<!~)~(?!~)|(?<!!)\[([^[\]`*_~<&\\\n]+)\]\(([^\s()<>&`[\]\\]+)\)/y;
// Where the parser ends a paragraph, and with it whatever is open.
const PARAGRAPH_END = /\n\s*?(?:\n|[>#*+=|-]|\d)/;

// The parser takes time in the square of what it gets at once.
const MAX_PIECE_CHARACTERS = 2_048;

const INLINE_PARSER = parser.configure([
  Strikethrough,
  {
    remove: words(`
      LinkReference IndentedCode FencedCode Blockquote HorizontalRule BulletList OrderedList ATXHeading
      HTMLBlock SetextHeading
    `),
  },
]);

function pieceEnd(text: string, start: number): number {
  const end = start + MAX_PIECE_CHARACTERS;
  if (end >= text.length) return text.length;
  const blank = Math.max(text.lastIndexOf(" ", end), text.lastIndexOf("\n", end));
  return blank > start + MAX_PIECE_CHARACTERS / 2 ? blank + 1 : end;
}

class InlineReader {
  readonly #source: string;
  readonly #from: number;
  readonly #visible = new TextMap();
  readonly #code: InlineSpan[] = [];
  readonly #links: InlineLink[] = [];
  readonly #markup: InlineMarkup[] = [];
  readonly #defined: ReadonlyMap<string, string>;
  readonly #open: (OpenLink & { readonly isLink: boolean })[] = [];
  #position = 0;

  constructor(source: string, from: number, defined: ReadonlyMap<string, string>) {
    this.#source = source;
    this.#defined = defined;
    this.#from = from;
  }

  /**
   * Fast path for text whose only markup is inline code, bold and plain links, which is nine blocks in ten; it gives what the parser
   * gives. Returns false, with nothing read, for any other text.
   */
  readSimple(): boolean {
    const text = this.#source;
    if (text.length > MAX_PIECE_CHARACTERS || PARAGRAPH_END.test(text)) return false;
    const marks: (InlineSpan & { readonly words?: string; readonly url?: string })[] = [];
    let isStrong = false;
    for (NEXT_MARK.lastIndex = 0; NEXT_MARK.test(text); NEXT_MARK.lastIndex = SIMPLE_MARK.lastIndex) {
      const from = NEXT_MARK.lastIndex - 1;
      SIMPLE_MARK.lastIndex = from;
      const mark = SIMPLE_MARK.exec(text);
      if (mark === null) return false;
      if (text[from] === "*") {
        const isOpening = !/\S/.test(text[from - 1] ?? "");
        if (isOpening === isStrong) return false;
        isStrong = isOpening;
      }
      const [, words, url] = mark;
      const span = { from, to: SIMPLE_MARK.lastIndex };
      if (words !== undefined && url !== undefined) marks.push({ ...span, words, url });
      else if (text[from] === "*" || text[from] === "`") marks.push(span);
    }
    if (isStrong) return false;
    for (const { from, to, words, url } of marks) {
      this.#copyTo(from);
      this.#position = to;
      if (text[from] === "`") this.#addCode(from, to);
      if (words === undefined) continue;
      const start = this.#visible.length;
      this.#emit(words, from + 1);
      this.#addLink({ start, title: "", url }, "link");
    }
    this.#copyTo(text.length);
    return true;
  }

  read(start: number, end: number): void {
    this.#position = start;
    INLINE_PARSER.parse(this.#source.slice(start, end)).iterate({
      enter: (node) => this.#enter(node, start),
      leave: (node) => this.#leave(node, start),
    });
    this.#copyTo(end);
  }

  result(): Inlines {
    return {
      text: this.#visible.toString(),
      code: this.#code,
      links: this.#links,
      markup: this.#markup,
      sourceOffset: (offset) => this.#visible.sourceOffset(offset),
    };
  }

  #enter(node: SyntaxNodeRef, start: number): boolean {
    const from = start + node.from;
    const to = start + node.to;
    switch (node.name) {
      case "Link":
      case "Image":
        this.#copyTo(from);
        this.#open.push({ start: this.#visible.length, title: "", isLink: this.#isLink(node, start) });
        return true;
      case "Autolink":
        this.#copyTo(from);
        this.#position = from + 1;
        this.#copyTo(to - 1);
        this.#position = to;
        return false;
      case "URL":
      case "LinkTitle":
      case "LinkLabel":
        if (this.#open.at(-1)?.isLink !== true) return true;
        this.#copyTo(from);
        this.#noteTarget(node.name, this.#source.slice(from, to));
        break;
      case "InlineCode":
        this.#copyTo(from);
        this.#addCode(from, to);
        break;
      case "Escape":
        this.#copyTo(from);
        this.#emit(this.#source.slice(from + 1, to), from);
        break;
      case "Entity":
        this.#copyTo(from);
        this.#emit(decodeEntities(this.#source.slice(from, to)), from);
        break;
      case "HTMLTag":
        if (!isKnownTag(this.#source.slice(from, to))) return true;
        this.#addMarkup("tag", from, to);
        break;
      case "Comment":
      case "ProcessingInstruction":
        this.#addMarkup("comment", from, to);
        break;
      case "LinkMark":
        if (this.#open.at(-1)?.isLink !== true) return true;
        this.#copyTo(from);
        break;
      case "EmphasisMark":
      case "StrikethroughMark":
        this.#copyTo(from);
        break;
      default:
        return true;
    }
    this.#position = to;
    return false;
  }

  #leave(node: SyntaxNodeRef, start: number): void {
    if (node.name !== "Link" && node.name !== "Image") return;
    this.#copyTo(start + node.to);
    const open = this.#open.pop();
    if (open === undefined || !open.isLink) return;
    this.#addLink(open, node.name === "Image" ? "image" : "link");
  }

  #addLink({ start: from, title, url, reference }: OpenLink, role: InlineLink["role"]): void {
    this.#links.push({ from, to: this.#visible.length, role, url, reference, title });
  }

  #isLink(node: SyntaxNodeRef, start: number): boolean {
    const { node: link } = node;
    if (link.getChild("URL") !== null) return true;
    const label = link.getChild("LinkLabel");
    const text = this.#source.slice(start + node.from, start + node.to);
    const own = text.replace(/^!?\[/, "").replace(/\](?:\[.{0,300}\])?$/, "");
    const reference = label === null ? own : this.#source.slice(start + label.from + 1, start + label.to - 1);
    return this.#defined.has((reference || own).toLowerCase());
  }

  #addMarkup(type: InlineMarkup["type"], from: number, to: number): void {
    this.#copyTo(from);
    const text = this.#source.slice(from, to);
    this.#markup.push({ type, text, offset: this.#from + from, at: this.#visible.length });
  }

  #noteTarget(name: string, text: string): void {
    const open = this.#open.at(-1);
    if (open === undefined) return;
    if (name === "URL") open.url = decodeEntities(text.replace(/^<|>$/g, ""));
    else if (name === "LinkTitle") open.title = decodeEntities(text.slice(1, -1));
    else open.reference = text.slice(1, -1);
  }

  #addCode(from: number, to: number): void {
    let inner = from;
    while (this.#source[inner] === "`") inner++;
    const end = to - (inner - from);
    const start = this.#visible.length;
    this.#emit(this.#source.slice(inner, end), inner);
    this.#code.push({ from: start, to: this.#visible.length });
  }

  #copyTo(end: number): void {
    if (end <= this.#position) return;
    this.#emit(this.#source.slice(this.#position, end), this.#position);
    this.#position = end;
  }

  #emit(text: string, at: number): void {
    this.#visible.add(text, this.#from + at);
  }
}

function isKnownTag(tag: string): boolean {
  return isKnownElement(/^<\/?([A-Za-z][\w:-]{0,40})/.exec(tag)?.[1] ?? "");
}
