import { type Container, continueContainer, LineCursor, openContainer } from "./markdown-container.ts";

/** A part of a text: from `start` up to, and without, `end`. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** A block of code: fenced, indented, or raw markup such as a comment. */
interface CodeBlock extends TextRange {
  readonly kind: "code";
  /** Of a fence that is closed, not indented and in no list or quote. */
  readonly topLevelFence?: { readonly info: string; readonly content: TextRange };
}

/** A paragraph or heading: lines whose code spans belong together, without the marks of lists and quotes. */
interface ProseBlock {
  readonly kind: "prose";
  readonly lines: readonly TextRange[];
}

/** A block of a Markdown text; blank lines and rules are none. */
export type MarkdownBlock = CodeBlock | ProseBlock;

/**
 * Splits a Markdown text into prose and code, as CommonMark does, in one pass and in the order of the text.
 *
 * Inside of tags such as `<context>` fences count, too: that is how skills are written and read.
 */
export function* markdownBlocks(text: string): Generator<MarkdownBlock> {
  const scanner = new BlockScanner(text);
  const lineEnds = /\r\n?|\n/g;
  for (let start = 0; start < text.length; ) {
    const lineEnd = lineEnds.exec(text);
    const end = lineEnd?.index ?? text.length;
    const next = lineEnd === null ? text.length : lineEnds.lastIndex;
    yield* scanner.readLine({ start, end, next });
    start = next;
  }
  yield* scanner.finish();
}

interface Line extends TextRange {
  /** Where the next line begins. */
  readonly next: number;
}

interface OpenCode {
  readonly kind: "fence" | "indented" | "markup";
  readonly start: number;
  end: number;
  readonly fence?: { readonly mark: string; readonly info: string; readonly contentStart: number };
  readonly closing?: RegExp;
}

interface OpenParagraph {
  readonly kind: "paragraph";
  readonly lines: TextRange[];
}

class BlockScanner {
  readonly #text: string;
  readonly #containers: Container[] = [];
  #leaf: OpenCode | OpenParagraph | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  *readLine(line: Line): Generator<MarkdownBlock> {
    const cursor = new LineCursor(this.#text, line.start, line.end);
    const unmatched = this.#containers.findIndex((container) => !continueContainer(container, cursor));
    const matched = unmatched === -1 ? this.#containers.length : unmatched;
    if (this.#leaf !== undefined && this.#leaf.kind !== "paragraph") {
      if (unmatched === -1 && (yield* this.#continueCode(this.#leaf, cursor, line))) return;
      yield* this.finish();
    }
    if (cursor.isBlank()) {
      yield* this.finish();
      this.#containers.length = matched;
    } else yield* this.#readContent(cursor, line, matched);
  }

  *finish(): Generator<MarkdownBlock> {
    const leaf = this.#leaf;
    this.#leaf = undefined;
    if (leaf?.kind === "paragraph") yield { kind: "prose", lines: leaf.lines };
    else if (leaf !== undefined) yield { kind: "code", start: leaf.start, end: leaf.end };
  }

  *#continueCode(leaf: OpenCode, cursor: LineCursor, line: Line): Generator<MarkdownBlock, boolean> {
    const { fence, closing } = leaf;
    if (leaf.kind === "indented" && !cursor.isBlank() && !cursor.hasIndent(CODE_INDENT)) return false;
    if (fence !== undefined && closesFence(cursor, fence.mark)) {
      this.#leaf = undefined;
      const { start } = leaf;
      const isTopLevel = this.#containers.length === 0 && isLineStart(this.#text, start);
      const content = { start: fence.contentStart, end: line.start };
      const topLevelFence = isTopLevel && { topLevelFence: { info: fence.info, content } };
      yield { kind: "code", start, end: line.end, ...topLevelFence };
      return true;
    }
    leaf.end = line.next;
    if (closing?.test(cursor.rest())) yield* this.finish();
    return true;
  }

  *#readContent(cursor: LineCursor, line: Line, matched: number): Generator<MarkdownBlock> {
    const hadParagraph = this.#leaf !== undefined;
    const wasLazy = matched < this.#containers.length;
    // A paragraph goes on without the marks of what it stands in, unless something else begins.
    if (!hadParagraph) this.#containers.length = matched;
    let isContinued = hadParagraph;
    for (;;) {
      if (cursor.hasIndent(CODE_INDENT)) break;
      const opened = openContainer(cursor, {
        depth: isContinued ? matched : this.#containers.length,
        isInParagraph: isContinued && !wasLazy,
      });
      if (opened === undefined) break;
      if (isContinued) {
        yield* this.finish();
        this.#containers.length = matched;
        isContinued = false;
      }
      this.#containers.push(opened);
      if (cursor.isBlank()) return;
    }
    const leaf = cursor.hasIndent(CODE_INDENT)
      ? !isContinued && openIndented(cursor, line)
      : openLeaf(cursor, line);
    if (leaf === false) this.#addToParagraph(cursor, line);
    else {
      yield* this.finish();
      if (isContinued) this.#containers.length = matched;
      if (leaf === "rule") return;
      this.#leaf = leaf;
      if (leaf.kind === "paragraph" || leaf.closing?.test(cursor.rest())) yield* this.finish();
    }
  }

  #addToParagraph(cursor: LineCursor, line: Line): void {
    cursor.skipBlanks(Number.POSITIVE_INFINITY);
    const range = { start: cursor.at, end: line.end };
    if (this.#leaf?.kind === "paragraph") this.#leaf.lines.push(range);
    else this.#leaf = { kind: "paragraph", lines: [range] };
  }
}

const CODE_INDENT = 4;

function isLineStart(text: string, at: number): boolean {
  return at === 0 || /[\r\n]/.test(text.charAt(at - 1));
}

function closesFence(cursor: LineCursor, mark: string): boolean {
  if (cursor.hasIndent(CODE_INDENT)) return false;
  const rest = cursor.rest().trim();
  return rest.length >= mark.length && rest === mark.charAt(0).repeat(rest.length);
}

function openIndented(cursor: LineCursor, line: Line): OpenCode {
  return { kind: "indented", start: cursor.at, end: line.next };
}

function openLeaf(cursor: LineCursor, line: Line): OpenCode | OpenParagraph | "rule" | false {
  const { at: start } = cursor;
  const rest = cursor.rest().trimStart();
  const fence = FENCE_OF_TICKS.exec(rest) ?? FENCE_OF_TILDES.exec(rest);
  if (fence !== null) {
    const [, mark = "", info = ""] = fence;
    const contentStart = line.next;
    return { kind: "fence", start, end: line.next, fence: { mark, info: info.trim(), contentStart } };
  }
  const closing = MARKUP.find(([opening]) => opening.test(rest))?.[1];
  if (closing !== undefined) return { kind: "markup", start, end: line.next, closing };
  if (HEADING.test(rest)) return { kind: "paragraph", lines: [{ start, end: line.end }] };
  return RULE.test(rest) ? "rule" : false;
}

// A line such as "```code```" is a span, not a fence.
const FENCE_OF_TICKS = /^(`{3,})([^`]*)$/;
const FENCE_OF_TILDES = /^(~{3,})(.*)$/s;
const HEADING = /^#{1,6}(?:[ \t]|$)/;
// Underlines of headings end a paragraph as well.
const RULE = /^(?:(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|(?:-[ \t]*){3,}|=+[ \t]*|-+[ \t]*)$/;
const MARKUP: readonly (readonly [opening: RegExp, closing: RegExp])[] = [
  [/^<(?:script|pre|style|textarea)(?:[\s>]|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^<!--/, /-->/],
  [/^<\?/, /\?>/],
  [/^<![a-z]/i, />/],
  [/^<!\[CDATA\[/, /\]\]>/],
];
