import type { TreeCursor } from "@lezer/common";
import { GFM, parser } from "@lezer/markdown";

/** One leaf of a Markdown document, with what it stands in. Offsets count in the document. */
export interface MarkdownBlock {
  readonly type: "paragraph" | "heading" | "cell" | "code" | "html";
  readonly from: number;
  readonly to: number;
  /** For prose as long as the span, the marks of its containers blanked; for code the code alone. */
  readonly text: string;
  /** The heading's level, 0 otherwise. */
  readonly level: number;
  /** The info string of a fence; undefined for indented code and for what is no code. */
  readonly info: string | undefined;
  readonly quoteDepth: number;
  readonly listDepth: number;
  /** Which outermost list, quote or table it belongs to; 0 outside of all. */
  readonly group: number;
  /** What heads its column, for a cell that is no heading itself. */
  readonly columnHeading: string | undefined;
}

/** Splits a guarded document into its leaves by CommonMark's block structure with GFM tables; inline marks stay in their text. */
export function markdownBlocks(text: string): readonly MarkdownBlock[] {
  const walk = new BlockWalk(text);
  walk.run(BLOCK_PARSER.parse(text).cursor());
  return walk.blocks;
}

// Inline parsing is quadratic in a paragraph's length, so `readInlines` does it in pieces and nothing is done here.
// Reference definitions are quadratic in their lines; a pattern reads them.
const BLOCK_PARSER = Object.assign(parser.configure(GFM).configure({ remove: ["LinkReference"] }), {
  parseInline: () => [],
});

class BlockWalk {
  readonly blocks: MarkdownBlock[] = [];
  readonly #text: string;
  #quoteDepth = 0;
  #listDepth = 0;
  #openContainers = 0;
  #group = 0;
  #headings: string[] = [];
  #column = 0;
  #inHeadingRow = false;

  constructor(text: string) {
    this.#text = text;
  }

  run(cursor: TreeCursor): void {
    for (;;) {
      const isLeaf = this.#enter(cursor);
      if (!isLeaf && cursor.firstChild()) continue;
      if (!isLeaf) this.#leave(cursor.name);
      while (!cursor.nextSibling()) {
        if (!cursor.parent()) return;
        this.#leave(cursor.name);
      }
    }
  }

  /** Says whether the node was taken whole. */
  #enter(cursor: TreeCursor): boolean {
    const { name } = cursor;
    switch (name) {
      case "Document":
      case "ListItem":
        return false;
      case "Blockquote":
      case "BulletList":
      case "OrderedList":
      case "Table":
        if (this.#openContainers++ === 0) this.#group++;
        if (name === "Blockquote") this.#quoteDepth++;
        else if (name === "Table") this.#headings = [];
        else this.#listDepth++;
        return false;
      case "TableHeader":
      case "TableRow":
        this.#inHeadingRow = name === "TableHeader";
        this.#column = 0;
        return false;
      case "TableCell":
        this.#addCell(cursor);
        return true;
      case "FencedCode":
      case "CodeBlock":
        this.#addCode(cursor, name === "FencedCode");
        return true;
      case "HTMLBlock":
      case "CommentBlock":
      case "ProcessingInstructionBlock":
        this.#add("html", cursor);
        return true;
      case "Paragraph":
      case "Task":
        this.#add("paragraph", cursor);
        return true;
      default:
        if (name.startsWith("ATXHeading") || name.startsWith("SetextHeading")) this.#add("heading", cursor);
        return true;
    }
  }

  #leave(name: string): void {
    if (name === "Blockquote") this.#quoteDepth--;
    else if (name === "BulletList" || name === "OrderedList") this.#listDepth--;
    else if (name !== "Table") return;
    this.#openContainers--;
  }

  #add(type: "paragraph" | "heading" | "cell" | "html", cursor: TreeCursor, columnHeading?: string): void {
    this.blocks.push({
      type,
      from: cursor.from,
      to: cursor.to,
      // A bar of a cell's own is escaped, also in code, and no part of the command.
      text: type === "cell" ? this.#scrubbed(cursor).replaceAll("\\|", " |") : this.#scrubbed(cursor),
      level: type === "heading" ? Number(cursor.name.slice(-1)) : 0,
      info: undefined,
      quoteDepth: this.#quoteDepth,
      listDepth: this.#listDepth,
      group: this.#openContainers === 0 ? 0 : this.#group,
      columnHeading,
    });
  }

  /** The node's text with quote, heading and task marks blanked, so that offsets stay. */
  #scrubbed(cursor: TreeCursor): string {
    const { from, to } = cursor;
    if (!cursor.firstChild()) return this.#text.slice(from, to);
    const pieces: string[] = [];
    let copied = from;
    do {
      if (!cursor.name.endsWith("Mark") && cursor.name !== "TaskMarker") continue;
      pieces.push(this.#text.slice(copied, cursor.from), " ".repeat(cursor.to - cursor.from));
      copied = cursor.to;
    } while (cursor.nextSibling());
    cursor.parent();
    pieces.push(this.#text.slice(copied, to));
    return pieces.join("");
  }

  #addCell(cursor: TreeCursor): void {
    // A missing cell has no node: the bars before this one tell the column.
    const column = this.#column++;
    if (this.#inHeadingRow) {
      this.#headings.push(this.#text.slice(cursor.from, cursor.to));
      this.#add("cell", cursor);
    } else this.#add("cell", cursor, this.#headings[column] ?? "");
  }

  #addCode(cursor: TreeCursor, isFence: boolean): void {
    const pieces: string[] = [];
    let from = cursor.from;
    let info = isFence ? "" : undefined;
    if (cursor.firstChild()) {
      do {
        if (cursor.name === "CodeInfo") info = this.#text.slice(cursor.from, cursor.to);
        else if (cursor.name === "CodeText") {
          if (pieces.length === 0) from = cursor.from;
          pieces.push(this.#text.slice(cursor.from, cursor.to));
        }
      } while (cursor.nextSibling());
      cursor.parent();
    }
    this.blocks.push({
      type: "code",
      from,
      to: cursor.to,
      text: pieces.join(""),
      level: 0,
      info,
      quoteDepth: this.#quoteDepth,
      listDepth: this.#listDepth,
      group: this.#openContainers === 0 ? 0 : this.#group,
      columnHeading: undefined,
    });
  }
}
