import type { SyntaxNode } from "@lezer/common";
import { type Expression, MAX_NESTING, type Remark } from "./program-tree.ts";

/** What a lowering of a syntax tree carries along. */
export class SyntaxReader {
  readonly text: string;
  /** What is said to a model through an argument, such as the description of a tool. */
  readonly sayings: Remark[] = [];
  isCut = false;
  #depth = 0;

  constructor(text: string) {
    this.text = text;
  }

  textOf(node: SyntaxNode): string {
    return this.text.slice(node.from, node.to);
  }

  /** A name as Python compares names: letters in other forms are the letters that they stand for. */
  nameOf(node: SyntaxNode): string {
    const name = this.textOf(node);
    return NOT_ASCII.test(name) ? name.normalize("NFKC") : name;
  }

  /** Keeps what a named argument or field says, if it is one that models read. */
  say(name: string, value: Expression): void {
    if (!READ_BY_MODELS.has(name) || value.kind !== "literal" || typeof value.value !== "string") return;
    this.sayings.push({ kind: "string", text: value.value, from: value.from, to: value.to });
  }

  /** Goes one level deeper, unless that is beyond what is followed; whoever went in comes out by `leave`. */
  enter(): boolean {
    if (this.#depth >= MAX_NESTING) {
      this.isCut = true;
      return false;
    }
    this.#depth++;
    return true;
  }

  leave(): void {
    this.#depth--;
  }

  /** Runs a step one level deeper, or gives nothing where the nesting is beyond what is followed. */
  nested<Result>(step: () => Result): Result | undefined {
    if (!this.enter()) return undefined;
    const result = step();
    this.leave();
    return result;
  }
}

/** The children of a node that are code. */
export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling)
    if (!child.type.isError && !COMMENTS.has(child.name)) children.push(child);
  return children;
}

/** The comments under some roots, neighbours joined, and how much of the text the parser could not place. */
export function readMargins(
  roots: readonly SyntaxNode[],
  text: string,
): { readonly comments: readonly Remark[]; readonly errorCharacters: number } {
  const comments: Remark[] = [];
  let errorCharacters = 0;
  for (const root of roots) {
    const cursor = root.cursor();
    do {
      if (cursor.type.isError) errorCharacters += Math.max(1, cursor.to - cursor.from);
      else if (COMMENTS.has(cursor.name)) addComment(comments, text, cursor.from, cursor.to);
    } while (cursor.next());
  }
  return { comments, errorCharacters };
}

/** An expression of which only the parts count. */
export function unknownOf(node: SyntaxNode, parts: readonly Expression[]): Expression {
  return { kind: "unknown", parts, from: node.from, to: node.to };
}

const NOT_ASCII = /[^\0-\x7f]/;
const READ_BY_MODELS: ReadonlySet<string> = new Set([
  "description",
  "instructions",
  "system_prompt",
  "systemPrompt",
]);
const COMMENTS: ReadonlySet<string> = new Set(["Comment", "LineComment", "BlockComment"]);

/** Adds a comment without its signs, joined to the one right above it. */
export function addComment(comments: Remark[], text: string, from: number, to: number): void {
  const last = comments.at(-1);
  const words = text
    .slice(from, to)
    .replace(/^(?:#+!?|\/\/+|\/\*+)[ \t]?|\*+\/$/g, "")
    .replace(/^[ \t]*\*[ \t]?/gm, "");
  if (last !== undefined && from - last.to < 200 && /^[ \t]*\r?\n?[ \t]*$/.test(text.slice(last.to, from)))
    comments[comments.length - 1] = { ...last, to, text: `${last.text}\n${words}` };
  else comments.push({ kind: "comment", from, to, text: words });
}
