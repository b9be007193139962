import { codeSpans } from "@skillet/kit/markdown";
import type { Span } from "../fact-writer.ts";
import { decodeEntities } from "./decode-entities.ts";
import { type HiddenScope, isKnownElement, readTag, TextMap } from "./read-markup.ts";

/** A link or an image in prose; `reference` if its address is defined elsewhere. */
export interface InlineLink extends Span {
  readonly role: "link" | "image";
  readonly url: string | undefined;
  readonly reference: string | undefined;
  readonly title: string;
}

/** Text as a reader sees it, without marks; `sourceOffset` maps a character to the document. */
export interface Prose {
  readonly text: string;
  readonly code: readonly Span[];
  readonly links: readonly InlineLink[];
  readonly sourceOffset: (offset: number) => number;
}

/** Text without marks, such as a comment or an attribute, at an offset of the document. */
export function plainProse(text: string, source: number | Prose["sourceOffset"]): Prose {
  const sourceOffset = typeof source === "number" ? (at: number): number => source + at : source;
  return { text, code: [], links: [], sourceOffset };
}

interface InlineMarkup {
  readonly kind: "tag" | "comment";
  readonly text: string;
  readonly offset: number;
}

export interface Inlines {
  /** Text around hidden spans is joined, as it is on the page. */
  readonly shown: Prose;
  readonly hidden: readonly Prose[];
  readonly markup: readonly InlineMarkup[];
}

interface InlineOptions {
  readonly toSource: (offset: number) => number;
  readonly defined: ReadonlyMap<string, string>;
  readonly scope: HiddenScope;
}

/** Brackets without a target and unknown tags are text: `[system]` and `<system>` speak to a model. */
export function readInlines(text: string, { toSource, defined, scope }: InlineOptions): Inlines {
  if (!scope.isHidden && !HAS_MARKS.test(text))
    return { shown: plainProse(text, toSource), hidden: [], markup: [] };
  const shown = new ProseBuilder(toSource);
  const hidden: ProseBuilder[] = scope.isHidden ? [new ProseBuilder(toSource)] : [];
  const markup: InlineMarkup[] = [];
  let into = hidden[0] ?? shown;
  let copied = 0;
  for (const mark of new MarkReader(text, defined).read()) {
    into.map.add(text.slice(copied, mark.from), copied);
    copied = mark.to;
    const written = text.slice(mark.from, mark.to);
    if (mark.kind !== "tag" && mark.kind !== "comment") {
      into.add(mark, written);
      continue;
    }
    markup.push({ kind: mark.kind, text: written, offset: toSource(mark.from) });
    if (mark.kind === "tag") follow(written, scope);
    if (!scope.isHidden) into = shown;
    else if (into === shown) {
      into = new ProseBuilder(toSource);
      hidden.push(into);
    }
  }
  into.map.add(text.slice(copied), copied);
  return { shown: shown.prose(), hidden: hidden.map((one) => one.prose()), markup };
}

function follow(tag: string, scope: HiddenScope): void {
  const { name, attributes, isClosed } = readTag(tag, 0);
  if (tag.startsWith("</")) scope.close(/^<\/\s*([^\s>]{1,64})/.exec(tag)?.[1]?.toLowerCase() ?? "");
  else if (!isClosed) scope.open(name, attributes);
}

class ProseBuilder {
  readonly map = new TextMap();
  readonly #code: Span[] = [];
  readonly #links: InlineLink[] = [];
  readonly #starts: number[] = [];
  readonly #toSource: (offset: number) => number;

  constructor(toSource: (offset: number) => number) {
    this.#toSource = toSource;
  }

  add({ kind, link, from }: Mark, written: string): void {
    const start = this.map.length;
    if (kind === "entity") this.map.add(decodeEntities(written), from);
    else if (kind === "code") {
      const ticks = /^`+/.exec(written)?.[0].length ?? 0;
      this.map.add(written.slice(ticks, -ticks), from + ticks);
      this.#code.push({ from: start, to: this.map.length });
    } else if (kind === "link-start") this.#starts.push(start);
    else if (link !== undefined) this.#links.push({ ...link, from: this.#starts.pop() ?? start, to: start });
  }

  prose(): Prose {
    const sourceOffset = (at: number): number => this.#toSource(this.map.sourceOffset(at));
    return { text: this.map.toString(), code: this.#code, links: this.#links, sourceOffset };
  }
}

const HAS_MARKS = /[\\`*_~[\]<&]/;

/** A span that is shown differently from its source; pure markup is not shown at all. */
interface Mark extends Span {
  readonly kind: "cut" | "entity" | "code" | "tag" | "comment" | "link-start" | "link-end";
  readonly link?: Omit<InlineLink, "from" | "to">;
}

interface Delimiter {
  readonly character: string;
  from: number;
  to: number;
  readonly isBoth: boolean;
  readonly length: number;
}

/** Finds the marks as CommonMark does, in one pass: each character is read at most a few times, whatever the input. */
class MarkReader {
  readonly #text: string;
  readonly #defined: ReadonlyMap<string, string>;
  readonly #marks: Mark[] = [];
  readonly #brackets: { readonly from: number; readonly isImage: boolean }[] = [];
  readonly #delimiters: Delimiter[] = [];
  #hasComments = true;
  #templateEnd: number | undefined;

  constructor(text: string, defined: ReadonlyMap<string, string>) {
    this.#text = text;
    this.#defined = defined;
  }

  read(): readonly Mark[] {
    const text = this.#text;
    const code = codeSpans(text, [{ start: 0, end: text.length }]);
    let span = code.next().value;
    for (let at = nextMark(text, 0); at !== -1; at = nextMark(text, at)) {
      while (span && span.start < at) span = code.next().value;
      if (span && span.start === at) at = this.#add("code", at, span.end);
      else at = this.#readMark(at);
    }
    return this.#marks.sort((left, right) => left.from - right.from);
  }

  /** Returns where to continue. */
  #readMark(at: number): number {
    switch (this.#text[at]) {
      case "\\":
        if (PUNCTUATION.test(this.#text[at + 1] ?? "")) this.#add("cut", at, at + 1);
        return at + 2;
      case "`":
        return at + this.#match(TICKS, at).length;
      case "&":
        return this.#add("entity", at, at + this.#match(ENTITY, at).length) || at + 1;
      case "<":
        return this.#readAngle(at);
      case "[":
        this.#brackets.push({ from: at, isImage: this.#text[at - 1] === "!" });
        return at + 1;
      case "]":
        return this.#readBracket(at);
      default:
        return this.#readDelimiter(at);
    }
  }

  /** Returns zero if there is nothing to mark. */
  #add(kind: Mark["kind"], from: number, to: number, link?: Mark["link"]): number {
    if (to <= from) return 0;
    this.#marks.push({ kind, from, to, ...(link && { link }) });
    return to;
  }

  #match(pattern: RegExp, at: number): string {
    pattern.lastIndex = at;
    return pattern.exec(this.#text)?.[0] ?? "";
  }

  #readAngle(at: number): number {
    const address = this.#match(AUTOLINK, at);
    if (address !== "") {
      this.#add("cut", at, at + 1);
      return this.#add("cut", at + address.length - 1, at + address.length);
    }
    const opening = this.#match(COMMENT, at);
    if (opening !== "" && this.#hasComments) {
      const closing = opening === "<?" ? "?>" : "-->";
      const end = this.#text.indexOf(closing, at + opening.length);
      if (end !== -1) return this.#add("comment", at, end + closing.length);
      // Searched for once: thousands of unclosed openings would each read to the end of the text.
      this.#hasComments = false;
    }
    const tag = this.#match(TAG, at);
    const name = /^<\/?\s*([A-Za-z][\w:-]{0,40})/.exec(tag)?.[1]?.toLowerCase() ?? "";
    if (tag === "") return at + 1;
    return isKnownElement(name) && (name !== "template" || at <= this.#lastTemplateEnd())
      ? this.#add("tag", at, at + tag.length)
      : at + tag.length;
  }

  /** An unclosed template is a placeholder: "use <template> here". */
  #lastTemplateEnd(): number {
    this.#templateEnd ??= this.#text.toLowerCase().lastIndexOf("</template");
    return this.#templateEnd;
  }

  #readBracket(at: number): number {
    const open = this.#brackets.pop();
    if (open === undefined) return at + 1;
    const inside = this.#text.slice(open.from + 1, at);
    TARGET.lastIndex = at + 1;
    const target = TARGET.exec(this.#text);
    const [whole = "", pointed, plain, title = "", reference] = target ?? [];
    const url = pointed ?? plain;
    const label = url === undefined ? reference || inside : "";
    if (url === undefined && (label.length > MAX_LABEL_CHARACTERS || !this.#defined.has(label.toLowerCase())))
      return at + 1;
    const role = open.isImage ? "image" : "link";
    const decoded = url === undefined ? undefined : decodeEntities(url.replace(/\\([!-/:-@[-`{-~])/g, "$1"));
    this.#add("link-start", open.isImage ? open.from - 1 : open.from, open.from + 1);
    const link = { role, url: decoded, reference, title: decodeEntities(title.slice(1, -1)) } as const;
    // A link contains no other, and no emphasis crosses its end.
    if (!open.isImage) this.#brackets.length = 0;
    while ((this.#delimiters.at(-1)?.from ?? -1) >= open.from) this.#delimiters.pop();
    return this.#add("link-end", at, at + 1 + whole.length, link);
  }

  #readDelimiter(at: number): number {
    const run = this.#match(DELIMITERS, at);
    const character = run.charAt(0);
    const end = at + run.length;
    const [before, after] = [this.#text[at - 1] ?? " ", this.#text[end] ?? " "];
    const isLeft =
      !/\s/.test(after) && (!MARK_OR_SIGN.test(after) || /\s/.test(before) || MARK_OR_SIGN.test(before));
    const isRight =
      !/\s/.test(before) && (!MARK_OR_SIGN.test(before) || /\s/.test(after) || MARK_OR_SIGN.test(after));
    const isWord = character === "_";
    const canOpen = isLeft && (!isWord || !isRight || MARK_OR_SIGN.test(before));
    const canClose = isRight && (!isWord || !isLeft || MARK_OR_SIGN.test(after));
    if (character === "~" && run.length !== 2) return end;
    const isBoth = canOpen && canClose;
    const rest = { character, from: at, to: end, isBoth, length: run.length };
    if (canClose) this.#closeWith(rest);
    if (canOpen && rest.from < rest.to) this.#delimiters.push(rest);
    return end;
  }

  #closeWith(closer: Delimiter): void {
    while (closer.from < closer.to) {
      const first = Math.max(0, this.#delimiters.length - MAX_LOOK_BACK);
      const index = first + this.#delimiters.slice(first).findLastIndex((one) => isPair(one, closer));
      const opener = index < first ? undefined : this.#delimiters[index];
      if (opener === undefined) return;
      const used = Math.min(2, opener.to - opener.from, closer.to - closer.from);
      opener.to -= used;
      this.#add("cut", opener.to, opener.to + used);
      this.#add("cut", closer.from, closer.from + used);
      closer.from += used;
      this.#delimiters.length = opener.from === opener.to ? index : index + 1;
    }
  }
}

function nextMark(text: string, from: number): number {
  MARKS.lastIndex = from;
  return MARKS.exec(text)?.index ?? -1;
}

// `*a**b*` is not what it seems: CommonMark's rule of three.
function isPair(opener: Delimiter, closer: Delimiter): boolean {
  if (opener.character !== closer.character) return false;
  const isOdd =
    (opener.length + closer.length) % 3 === 0 && (opener.length % 3 !== 0 || closer.length % 3 !== 0);
  return !(isOdd && (opener.isBoth || closer.isBoth));
}

const MARKS = new RegExp(HAS_MARKS, "g");
const PUNCTUATION = /[!-/:-@[-`{-~]/;
const MARK_OR_SIGN = /[\p{S}\p{P}]/u;
const MAX_LOOK_BACK = 64;
const MAX_LABEL_CHARACTERS = 300;
const TICKS = /`+/y;
const DELIMITERS = /\*+|_+|~+/y;
const ENTITY = /&(?:#\d+|#x[a-f\d]+|\w+);/iy;
const AUTOLINK = /<(?:[a-z][-\w+.]+:[^\s<>]+|[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z\d][a-z\d.-]{0,200})>/iy;
const COMMENT = /<(?:!--(?!>)|\?)/y;
const TAG =
  /<(?:\/\s*[A-Za-z][\w:-]*|[A-Za-z][\w:-]*(?:\s+[A-Za-z:_][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*)\s*\/?>/y;
// Right after the bracket: an address and a title in parentheses, or the label of a definition.
const TARGET =
  /\(\s*(?:<([^<>\n]{0,2000})>|((?:[^\s()<]|\((?:[^\s()]|\([^\s()]*\))*\)){0,2000}))(?:\s+("[^"]{0,2000}"|'[^']{0,2000}'|\([^()]{0,2000}\)))?\s*\)|\[([^[\]]{0,300})\]/y;
