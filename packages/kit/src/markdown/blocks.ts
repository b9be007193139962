import { LineCursor } from "./line-cursor.ts";

export interface TextRange {
  readonly start: number;
  readonly end: number;
}

export interface MarkdownBlock extends TextRange {
  /** Comments and raw markup are `html`. */
  readonly kind: "paragraph" | "heading" | "cell" | "code" | "html";
  /** The code alone; for other blocks the whole span with marks blanked out, so that offsets stay valid. */
  readonly text: string;
  /** Its text, without the marks of fences, headings, tasks, lists and quotes. */
  readonly lines: readonly TextRange[];
  readonly level: number;
  /** The text after the opening mark of a fence; undefined for all other blocks. */
  readonly info: string | undefined;
  /** A fence that is closed, not indented, and in no list or quote. */
  readonly isTopLevelFence: boolean;
  readonly quoteDepth: number;
  readonly listDepth: number;
  /** The outermost list, quote or table that it belongs to; 0 outside of all. */
  readonly group: number;
  /** The heading of its column, for a cell below the first row. */
  readonly columnHeading: string | undefined;
}

/**
 * Splits a Markdown text into leaf blocks, as CommonMark does, in one pass and in the order of the text.
 *
 * Unless `asRendered`, table rows are paragraphs, and fences count inside tags such as `<context>`, because
 * that is how skills are written and how models read them.
 */
export function markdownBlocks(
  text: string,
  { asRendered = false }: { readonly asRendered?: boolean } = {},
): readonly MarkdownBlock[] {
  const scanner = new BlockScanner(text, asRendered);
  for (let start = 0; start < text.length; ) {
    LINE_END.lastIndex = start;
    const found = LINE_END.exec(text);
    const end = found?.index ?? text.length;
    const next = end + (found?.[0].length ?? 0);
    scanner.readLine({ start, end, next });
    start = next;
  }
  scanner.finish();
  return scanner.blocks;
}

const LINE_END = /\r\n?|\n/g;

function blockText(
  text: string,
  kind: MarkdownBlock["kind"],
  { start, end, lines }: Pick<MarkdownBlock, "start" | "end" | "lines">,
): string {
  const [first] = lines;
  // A bar inside a cell is escaped, even in code, and the backslash is not part of the command.
  if (kind === "cell") return text.slice(start, end).replaceAll("\\|", " |");
  if (kind === "code") return lines.map((line) => text.slice(line.start, line.end)).join("\n");
  if (lines.length === 1 && first?.start === start && first.end === end) return text.slice(start, end);
  const pieces: string[] = [];
  let at = start;
  for (const line of [...lines, { start: end, end }]) {
    const gap = text.slice(at, line.start);
    pieces.push(gap === "\n" ? gap : gap.replace(/[^\r\n]/g, " "), text.slice(line.start, line.end));
    at = line.end;
  }
  return pieces.join("");
}

interface Line extends TextRange {
  readonly next: number;
}

type Leaf =
  | { readonly kind: "paragraph"; readonly lines: TextRange[] }
  | { readonly kind: "table"; readonly headings: readonly string[]; readonly group: number }
  | (OpenCode & { readonly kind: "fence"; readonly mark: string; readonly info: string })
  | (OpenCode & { readonly kind: "indented" })
  /** Without `closing` it continues to a blank line. */
  | (OpenCode & { readonly kind: "html"; readonly closing: RegExp | undefined });

interface OpenCode {
  readonly start: number;
  end: number;
  readonly lines: TextRange[];
}

interface Container {
  readonly mark: string;
  readonly group: number;
  readonly indent: number;
  /** Nothing follows the item's mark; a blank line then ends it. */
  isEmpty: boolean;
}

// Every line is compared with every enclosing list and quote; honest documents nest less.
const MAX_CONTAINERS = 32;
const CODE_INDENT = 4;
const MAX_MARK_INDENT = 3;
const ITEM_MARK = /^(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$)/;
// A line such as "```code```" is a span, not a fence.
const FENCE_OF_TICKS = /^(`{3,})([^`]*)$/;
const FENCE_OF_TILDES = /^(~{3,})(.*)$/s;
const HEADING = /^(#{1,6})(?:[ \t]|$)/;
const UNDERLINE = /^(?:=+|-+)[ \t]*$/;
const LEAF_STARTS = "`~<#*_-";
const RULE = /^(?:(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|(?:-[ \t]*){3,})$/;
const TASK = /^\[[ xX]\](?=[ \t])/;
const DELIMITER_ROW = /^\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?\s*)?$/;

class BlockScanner {
  readonly blocks: MarkdownBlock[] = [];
  readonly #text: string;
  readonly #asRendered: boolean;
  readonly #containers: Container[] = [];
  #leaf: Leaf | undefined;
  #groups = 0;

  constructor(text: string, asRendered: boolean) {
    this.#text = text;
    this.#asRendered = asRendered;
  }

  readLine(line: Line): void {
    const cursor = new LineCursor(this.#text, line.start, line.end);
    let matched = 0;
    for (const container of this.#containers) {
      if (!continueContainer(container, cursor)) break;
      matched++;
    }
    const leaf = this.#leaf;
    if (leaf !== undefined && leaf.kind !== "paragraph" && leaf.kind !== "table") {
      if (matched === this.#containers.length && this.#continueCode(leaf, cursor, line)) return;
      this.finish();
    }
    if (cursor.isBlank()) {
      this.finish();
      this.#containers.length = matched;
    } else this.#readContent(cursor, line, matched);
  }

  finish(): void {
    const leaf = this.#leaf;
    this.#leaf = undefined;
    if (leaf === undefined || leaf.kind === "table") return;
    const { kind, lines } = leaf;
    if (kind === "paragraph") this.#addParagraph(lines);
    else if (kind === "html") this.#add("html", { start: leaf.start, end: leaf.end, lines });
    else {
      const last = kind === "fence" ? lines.length - 1 : lines.findLastIndex((line) => line.end > line.start);
      const info = kind === "fence" ? leaf.info : undefined;
      this.#add("code", { start: leaf.start, end: leaf.end, lines: lines.slice(0, last + 1), info });
    }
  }

  #add(kind: MarkdownBlock["kind"], block: TextRange & Partial<MarkdownBlock>): void {
    let quoteDepth = 0;
    for (const { mark } of this.#containers) if (mark === ">") quoteDepth++;
    const { start, end, lines = [block] } = block;
    // Written out, so that all blocks have the same shape: objects made by a spread are read several times
    // slower.
    this.blocks.push({
      kind,
      start,
      end,
      text: blockText(this.#text, kind, { start, end, lines }),
      lines,
      level: block.level ?? 0,
      info: block.info,
      isTopLevelFence: block.isTopLevelFence ?? false,
      quoteDepth,
      listDepth: this.#containers.length - quoteDepth,
      group: block.group ?? this.#containers[0]?.group ?? 0,
      columnHeading: block.columnHeading,
    });
  }

  #addParagraph(
    lines: readonly TextRange[],
    heading?: { readonly level: number; readonly end: number },
  ): void {
    const [first = NOWHERE, ...others] = lines;
    const { start } = first;
    const isItem = this.#asRendered && ![undefined, ">"].includes(this.#containers.at(-1)?.mark);
    const task = isItem ? TASK.exec(this.#text.slice(start, first.end))?.[0].length : undefined;
    const shown = task === undefined ? lines : [{ start: start + task, end: first.end }, ...others];
    const { level = 0, end = lines.at(-1)?.end ?? start } = heading ?? {};
    this.#add(level === 0 ? "paragraph" : "heading", { start, end, lines: shown, level });
  }

  #continueCode(
    leaf: Exclude<Leaf, { kind: "paragraph" | "table" }>,
    cursor: LineCursor,
    line: Line,
  ): boolean {
    const isBlank = cursor.isBlank();
    if (leaf.kind === "indented") {
      if (!isBlank && !cursor.hasIndent(CODE_INDENT)) return false;
      cursor.skipBlanks(CODE_INDENT);
    } else if (leaf.kind === "html" && leaf.closing === undefined && isBlank) return false;
    else if (leaf.kind === "fence" && closesFence(cursor, leaf.mark)) {
      this.#leaf = undefined;
      const { start, lines, info } = leaf;
      const isTopLevelFence = this.#containers.length === 0 && !/[^\r\n]/.test(this.#text.charAt(start - 1));
      this.#add("code", { start, end: line.end, lines, info, isTopLevelFence });
      return true;
    }
    leaf.lines.push({ start: isBlank && leaf.kind === "indented" ? line.end : cursor.at, end: line.end });
    leaf.end = leaf.kind === "html" ? line.end : line.next;
    if (leaf.kind === "html" && leaf.closing?.test(cursor.rest())) this.finish();
    return true;
  }

  #readContent(cursor: LineCursor, line: Line, matched: number): void {
    const hadText = this.#leaf !== undefined;
    const wasLazy = matched < this.#containers.length;
    if (this.#leaf?.kind === "paragraph" && !wasLazy && this.#underlines(this.#leaf.lines, cursor, line))
      return;
    const closed = this.#containers[matched];
    // A paragraph continues without the marks of its containers, unless something else begins.
    if (!hadText) this.#containers.length = matched;
    let isContinued = hadText;
    const end = (): void => {
      this.finish();
      if (isContinued) this.#containers.length = matched;
      isContinued = false;
    };
    while (!cursor.hasIndent(CODE_INDENT)) {
      const depth = isContinued ? matched : this.#containers.length;
      const mark = depth >= MAX_CONTAINERS ? undefined : openContainer(cursor, isContinued && !wasLazy);
      if (mark === undefined) break;
      end();
      const sibling =
        depth === matched && closed !== undefined && closed.mark === mark.mark ? closed : undefined;
      const group = (this.#containers[0] ?? sibling)?.group ?? ++this.#groups;
      this.#containers.push({ ...mark, group });
      if (cursor.isBlank()) return;
    }
    const isIndented = cursor.hasIndent(CODE_INDENT);
    if (isIndented && !isContinued) {
      const { at: start } = cursor;
      cursor.skipBlanks(CODE_INDENT);
      this.#leaf = { kind: "indented", start, end: line.next, lines: [{ start: cursor.at, end: line.end }] };
    } else if (isIndented || !this.#openLeaf(cursor, line, { end, isContinued })) this.#addText(cursor, line);
  }

  #underlines(lines: readonly TextRange[], cursor: LineCursor, line: Line): boolean {
    const { first } = cursor;
    if ((first !== "=" && first !== "-") || cursor.hasIndent(CODE_INDENT)) return false;
    if (!UNDERLINE.test(cursor.rest())) return false;
    this.#leaf = undefined;
    this.#addParagraph(lines, { level: first === "=" ? 1 : 2, end: line.end });
    return true;
  }

  #openLeaf(
    cursor: LineCursor,
    line: Line,
    { end, isContinued }: { readonly end: () => void; readonly isContinued: boolean },
  ): boolean {
    const { ink: start, first } = cursor;
    if (!LEAF_STARTS.includes(first)) return false;
    const rest = cursor.rest();
    const fence = FENCE_OF_TICKS.exec(rest) ?? FENCE_OF_TILDES.exec(rest);
    if (fence !== null) {
      end();
      const [, mark = "", info = ""] = fence;
      // Starts at the blanks before it, by which a top-level fence is recognised.
      this.#leaf = { kind: "fence", start: cursor.at, end: line.next, mark, info: info.trim(), lines: [] };
      return true;
    }
    const markup = first === "<" ? this.#findMarkup(rest, isContinued) : undefined;
    if (markup !== undefined) {
      end();
      const range = { start, end: line.end };
      this.#leaf = { kind: "html", ...range, lines: [range], closing: markup.closing };
      if (markup.closing?.test(rest)) this.finish();
      return true;
    }
    const heading = HEADING.exec(rest)?.[1];
    if (heading !== undefined) {
      end();
      const title = { start: start + heading.length, end: line.end };
      const { length = 0 } = /(?:^|[ \t])#+[ \t]*$/.exec(this.#text.slice(title.start, title.end))?.[0] ?? "";
      title.end -= length;
      this.#add("heading", { start, end: line.end, lines: [title], level: heading.length });
      return true;
    }
    if (!RULE.test(rest)) return false;
    end();
    return true;
  }

  #findMarkup(rest: string, isContinued: boolean): { readonly closing: RegExp | undefined } | undefined {
    const known = MARKUP.find(([opening]) => opening.test(rest));
    if (known !== undefined) return { closing: known[1] };
    const isBlock = this.#asRendered && (BLOCK_TAG.test(rest) || (!isContinued && LONE_TAG.test(rest)));
    return isBlock ? { closing: undefined } : undefined;
  }

  #addText(cursor: LineCursor, line: Line): void {
    cursor.skipBlanks(Number.POSITIVE_INFINITY);
    const range = { start: cursor.at, end: line.end };
    const leaf = this.#leaf;
    if (leaf?.kind === "table") this.#addRow(range, leaf);
    else if (leaf?.kind !== "paragraph") this.#leaf = { kind: "paragraph", lines: [range] };
    else if (!this.#asRendered || !this.#opensTable(leaf.lines, range)) leaf.lines.push(range);
  }

  /** Whether a line is the second of a table, whose first line was read as the last line of a paragraph. */
  #opensTable(lines: readonly TextRange[], range: TextRange): boolean {
    const header = lines.at(-1);
    const delimiters = this.#text.slice(range.start, range.end);
    if (header === undefined || !DELIMITER_ROW.test(delimiters)) return false;
    const cells = cellsOf(this.#text, header);
    if (cells.count !== cellsOf(this.#text, range).count) return false;
    if (lines.length > 1) this.#addParagraph(lines.slice(0, -1));
    const group = this.#containers[0]?.group ?? ++this.#groups;
    const headings = cells.ranges.map((cell) => this.#text.slice(cell.start, cell.end));
    for (const cell of cells.ranges) this.#add("cell", { ...cell, group });
    this.#leaf = { kind: "table", headings, group };
    return true;
  }

  #addRow(range: TextRange, { headings, group }: Extract<Leaf, { kind: "table" }>): void {
    for (const [column, { start, end }] of cellsOf(this.#text, range).ranges.entries())
      this.#add("cell", { start, end, group, columnHeading: headings[column] ?? "" });
  }
}

const NOWHERE: TextRange = { start: 0, end: 0 };

/** Consumes a container's marks at the beginning of a line; returns whether the line belongs to it. */
function continueContainer(container: Container, cursor: LineCursor): boolean {
  if (container.mark === ">") return skipQuote(cursor);
  const isBlank = cursor.isBlank();
  if (isBlank ? container.isEmpty : !cursor.hasIndent(container.indent)) return false;
  cursor.skipBlanks(container.indent);
  if (!isBlank) container.isEmpty = false;
  return true;
}

function openContainer(cursor: LineCursor, isInParagraph: boolean): Omit<Container, "group"> | undefined {
  if (skipQuote(cursor)) return { mark: ">", indent: 0, isEmpty: false };
  if (!/[-+*\d]/.test(cursor.first)) return undefined;
  const rest = cursor.rest();
  const mark = ITEM_MARK.exec(rest)?.[0];
  if (mark === undefined || RULE.test(rest)) return undefined;
  const isEmpty = rest.slice(mark.length).trim() === "";
  // "in 1999\n2000. That" is not a list.
  if (isInParagraph && (isEmpty || (mark.length > 1 && !/^1[.)]$/.test(mark)))) return undefined;
  const before = cursor.skipBlanks(MAX_MARK_INDENT);
  cursor.skipCharacters(mark.length);
  // More blanks than these are the indentation of code.
  const isCode = isEmpty || cursor.hasIndent(MAX_MARK_INDENT + 2);
  const after = cursor.skipBlanks(isCode ? 1 : MAX_MARK_INDENT + 1);
  return { mark: mark.slice(-1), indent: before + mark.length + (isEmpty ? 1 : after), isEmpty };
}

function skipQuote(cursor: LineCursor): boolean {
  if (cursor.first !== ">" || cursor.hasIndent(MAX_MARK_INDENT + 1)) return false;
  cursor.skipBlanks(MAX_MARK_INDENT);
  cursor.skipCharacters(1);
  cursor.skipBlanks(1);
  return true;
}

function closesFence(cursor: LineCursor, mark: string): boolean {
  if (cursor.hasIndent(CODE_INDENT)) return false;
  const rest = cursor.rest();
  return rest.startsWith(mark) && rest.trimEnd() === mark.charAt(0).repeat(rest.trimEnd().length);
}

/** The non-empty cells of a row, and the number of cells including the empty ones. */
function cellsOf(text: string, row: TextRange): { readonly ranges: TextRange[]; readonly count: number } {
  const ranges: TextRange[] = [];
  let count = 0;
  let isFirst = true;
  let cell: { start: number; end: number } | undefined;
  for (let at = row.start; at < row.end; at++) {
    const character = text[at];
    if (character === "|") {
      if (!isFirst || cell !== undefined) count++;
      isFirst = false;
      if (cell !== undefined) ranges.push(cell);
      cell = undefined;
      continue;
    }
    if (character === " " || character === "\t") continue;
    cell ??= { start: at, end: at };
    // An escaped bar belongs to its cell.
    if (character === "\\" && at + 1 < row.end) at++;
    cell.end = at + 1;
  }
  if (cell === undefined) return { ranges, count };
  return { ranges: [...ranges, cell], count: count + 1 };
}

const MARKUP: readonly (readonly [opening: RegExp, closing: RegExp])[] = [
  [/^<(?:script|pre|style|textarea)(?:[\s>]|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^<!--/, /-->/],
  [/^<\?/, /\?>/],
  [/^<![a-z]/i, />/],
  [/^<!\[CDATA\[/, /\]\]>/],
];
const BLOCK_TAG =
  /^<\/?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|section|source|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?:\s|\/?>|$)/i;
const LONE_TAG =
  /^(?:<\/[a-z][\w-]*\s*>|<[a-z][\w-]*(?:\s+[a-z:_][\w.-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*\s*>)\s*$/i;
