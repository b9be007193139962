import { type Input, type Parser, type SyntaxNode, Tree } from "@lezer/common";
import { wordSet } from "../../word-list.ts";
import type { Span } from "../fact-writer.ts";
import { readEscapes } from "../read-escapes.ts";
import { type Assignment, type Expression, MAX_NESTING, type Remark } from "./program-tree.ts";

export type Nodes = readonly SyntaxNode[];

export class SyntaxReader {
  readonly text: string;
  readonly language: "python" | "javascript";
  readonly sayings: Remark[] = [];
  isCut = false;
  #depth = 0;

  constructor(text: string, language: "python" | "javascript") {
    this.text = text;
    this.language = language;
  }

  textOf(node: SyntaxNode): string {
    return this.text.slice(node.from, node.to);
  }

  /** A name as its language compares names: Python normalises letters in other forms. */
  nameOf(node: SyntaxNode): string {
    const name = this.textOf(node);
    return this.language === "python" && NOT_ASCII.test(name) ? name.normalize("NFKC") : name;
  }

  say(name: string, value: Expression): void {
    if (!READ_BY_MODELS.has(name) || value.kind !== "literal" || typeof value.value !== "string") return;
    this.sayings.push({ kind: "string", text: value.value, from: value.from, to: value.to });
  }

  /** Runs a step one level deeper; undefined if the nesting is too deep. */
  nested<Result>(step: () => Result): Result | undefined {
    if (this.#depth >= MAX_NESTING) {
      this.isCut = true;
      return undefined;
    }
    this.#depth++;
    const result = step();
    this.#depth--;
    return result;
  }
}

export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling)
    if (!child.type.isError && !COMMENTS.has(child.name)) children.push(child);
  return children;
}

export function childNamed(children: Nodes, name: string): SyntaxNode | undefined {
  return children.find((child) => child.name === name);
}

export function spanOf({ from, to }: Span): Span {
  return { from, to };
}

/** `a = b`, and `a += b` as `a = a + b`. */
export function assignment(target: Expression, operator: string, value: Expression, span: Span): Assignment {
  const { from, to } = span;
  if (operator === "=") return { kind: "assign", target, value, from, to };
  const changed: Expression =
    operator === "+="
      ? { kind: "concat", parts: [target, value], template: false, from, to }
      : { kind: "binary", operator: operator.slice(0, -1), left: target, right: value, from, to };
  return { kind: "assign", target, value: changed, from, to };
}

/** The comments under some roots, with neighbours joined, and the number of unparsed characters. */
export function readMargins(
  roots: Nodes,
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

export function unknownOf(node: SyntaxNode, parts: readonly Expression[]): Expression {
  return { kind: "unknown", parts, from: node.from, to: node.to };
}

const NOT_ASCII = /[^\0-\x7f]/;
const READ_BY_MODELS: ReadonlySet<string> = wordSet("description instructions system_prompt systemPrompt");
const COMMENTS: ReadonlySet<string> = new Set(["Comment", "LineComment", "BlockComment"]);

function addComment(comments: Remark[], text: string, from: number, to: number): void {
  const last = comments.at(-1);
  const words = text
    .slice(from, to)
    .replace(/^(?:#+!?|\/\/+|\/\*+)[ \t]?|\*+\/$/g, "")
    .replace(/^[ \t]*\*[ \t]?/gm, "");
  if (last !== undefined && from - last.to < 200 && /^[ \t]*\r?\n?[ \t]*$/.test(text.slice(last.to, from)))
    comments[comments.length - 1] = { ...last, to, text: `${last.text}\n${words}` };
  else comments.push({ kind: "comment", from, to, text: words });
}

/** Recovery steps per text, and the pieces that the parser then reads: each costs ten ordinary steps. */
const MAX_RECOVERING_STEPS = 8_000;
/** A parser that assumes an open quote reads on for its end, at every step up to the end of the text. */
const PIECE_CHARACTERS = 2_048;
/** Steps beyond the depth at which the parser starts to cut its own stack, where each costs a hundred. */
const MAX_DEEP_STEPS = 400;
const DEEP_STACK = 6_000;
const MAX_RESTARTS = 8;

interface ParsedText {
  readonly roots: Nodes;
  /** Whether parts were left out because they were too expensive. */
  readonly isCut: boolean;
}

/** Parses a text in bounded work: nonsense that slows the parser down is skipped up to the next line. */
export function parseBounded(parser: Parser, text: string): ParsedText {
  const roots: SyntaxNode[] = [];
  let from = 0;
  const spent = { recovering: 0, deep: 0 };
  for (let restart = 0; restart <= MAX_RESTARTS; restart++) {
    const { tree, end } = parsePart(parser, text, from, spent);
    roots.push(rootAt(tree, from, text.length));
    if (end === undefined) return { roots, isCut: restart > 0 };
    const line = text.indexOf("\n", end);
    if (line === -1 || restart === MAX_RESTARTS) break;
    from = line + 1;
    spent.deep = 0;
    if (spent.recovering >= MAX_RECOVERING_STEPS) break;
  }
  return { roots, isCut: true };
}

/** Positions in a tree are relative to its part; this makes them relative to the text. */
function rootAt(tree: Tree, from: number, length: number): SyntaxNode {
  if (from === 0) return tree.topNode;
  const whole = new Tree(tree.type, [tree], [from], length);
  return whole.topNode.firstChild ?? whole.topNode;
}

/** The parser's internal counters, which its interface lacks; without them only the length is bounded. */
interface Counters {
  readonly recovering?: number;
  readonly stacks?: readonly { readonly stack?: { readonly length: number } }[];
}

function parsePart(
  parser: Parser,
  text: string,
  from: number,
  spent: { recovering: number; deep: number },
): { readonly tree: Tree; readonly end: number | undefined } {
  let pieces = 0;
  const input: Input = {
    length: text.length,
    lineChunks: false,
    chunk: (at) => {
      pieces++;
      return text.slice(at, at + PIECE_CHARACTERS);
    },
    read: (start, stop) => text.slice(start, stop),
  };
  const parse = parser.startParse(input, undefined, [{ from, to: text.length }]);
  const counters: Counters = parse as Counters;
  let end: number | undefined;
  for (;;) {
    const before = pieces;
    const tree = parse.advance();
    if (tree !== null) return { tree, end };
    if (end !== undefined) continue;
    if ((counters.recovering ?? 0) > 0) spent.recovering += 1 + pieces - before;
    if ((counters.stacks?.[0]?.stack?.length ?? 0) > DEEP_STACK) spent.deep++;
    if (spent.recovering < MAX_RECOVERING_STEPS && spent.deep < MAX_DEEP_STEPS) continue;
    end = Math.max(parse.parsedPos, from);
    parse.stopAt(end);
  }
}

/** The value of a literal, without quotes, escapes and a prefix as in `rb"…"`. */
export function readString(source: string): string {
  const start = /^([a-zA-Z]{0,2})("""|'''|"|')/.exec(source);
  if (start === null) return source;
  const [, prefix = "", quote = ""] = start;
  const from = prefix.length + quote.length;
  const isClosed = source.endsWith(quote) && source.length >= from + quote.length;
  const body = source.slice(from, isClosed ? -quote.length : undefined);
  return /r/i.test(prefix) ? body : readEscapes(body);
}

interface ChainStep {
  readonly operator: string;
  readonly right: Expression;
}

/** Builds the expression of a left-associative chain; neighbouring `+` become one flat concatenation. */
export function chainOperators(first: Expression, steps: readonly ChainStep[]): Expression {
  const to = steps.at(-1)?.right.to ?? first.to;
  if (steps.length > MAX_MIXED_CHAIN && steps.some((step) => step.operator !== "+"))
    return { kind: "unknown", parts: [first, ...steps.map((step) => step.right)], from: first.from, to };
  let result = first;
  let parts: Expression[] = [];
  for (const { operator, right } of steps) {
    const span = { from: first.from, to: right.to };
    if (operator !== "+") {
      result = { kind: "binary", operator, left: result, right, ...span };
      parts = [];
    } else if (parts.length === 0) {
      parts = [result, right];
      result = { kind: "concat", parts, template: false, from: first.from, to };
    } else parts.push(right);
  }
  return result;
}

/** Longer chains of other operators would nest too deeply, and their value does not matter. */
const MAX_MIXED_CHAIN = 40;
