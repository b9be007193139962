import { wordSet } from "../../word-list.ts";
import type { Span } from "../fact-writer.ts";
import { readEscapes } from "../read-escapes.ts";
import type { DictionaryEntry, Expression, Keyword } from "./program-tree.ts";
import { readStatements, type Token } from "./read-tokens.ts";
import { spanOf } from "./syntax-reader.ts";

const MAX_DEPTH = 40;
const SKIPPED = /^(?:[&*!\\-]|quoted_form_of)$/;
const MEMBERS = /^(?:->|::|&\.|\?\.)$/;
const JOINS = /^(?:\+|\.\.|&|~)$/;
const OPERATORS = /^(?:\|>|\|\||\/\/|%|\*|-|\/|[=!]=+|=~|<|>|\?|&&)$/;
/** Words before a value or a statement that do not affect where data goes. */
export const MODIFIERS: ReadonlySet<string> = wordSet(`
  my our local var let const val auto final mut global static set pub public private protected internal async export
  override if unless while until elsif elif else for foreach then begin try await defer go new echo not and or
  rescue when case throw raise use
`);
/** A name before one of these is not called with arguments. */
const STOPS: ReadonlySet<string> = wordSet(
  "if unless while until do and or in then end else rescue of as with is to for not when",
);

interface Arguments {
  readonly items: readonly Expression[];
  readonly keywords?: readonly Keyword[];
}

/** Reads calls, members, texts and lists as most languages write them; anything between them is skipped. */
export class OtherExpression {
  readonly #tokens: readonly Token[];
  readonly #joinsByDot: boolean;
  #at = 0;
  #depth: number;
  #it: Expression | undefined;

  constructor(tokens: readonly Token[], joinsByDot: boolean, depth = 0) {
    this.#tokens = tokens;
    this.#joinsByDot = joinsByDot;
    this.#depth = depth;
  }

  whole(): Expression {
    const parts: Expression[] = [];
    while (this.#at < this.#tokens.length) {
      const before = this.#at;
      const part = this.#expression();
      if (this.#at > before) parts.push(part);
      else this.#at++;
    }
    const [only] = parts;
    return only !== undefined && parts.length === 1 ? only : unknown(parts, this.#tokens[0]);
  }

  target(): Expression {
    return this.#postfix(this.#operand(), "target");
  }

  #expression(): Expression {
    if (this.#depth >= MAX_DEPTH) return unknown([], this.#tokens[this.#at++]);
    this.#depth++;
    let left = this.#postfix(this.#operand(), "value");
    for (let sign = this.#tokens[this.#at]; sign !== undefined; sign = this.#tokens[this.#at]) {
      // `connection as Type`
      if (sign.text === "as" && this.#tokens[this.#at + 1]?.isMarked === false) {
        this.#at += 2;
        continue;
      }
      const joins = JOINS.test(sign.text) || (sign.text === "." && this.#joinsByDot);
      if (!joins && !OPERATORS.test(sign.text)) break;
      this.#at++;
      if (sign.text === "|>") this.#it = left;
      const right = this.#postfix(this.#operand(), "value");
      const span = { from: left.from, to: right.to };
      if (sign.text === "|>") left = this.#it === undefined ? right : piped(left, right, span);
      else if (!joins) left = unknown([left, right], span);
      else {
        const parts = left.kind === "concat" && !left.template ? [...left.parts, right] : [left, right];
        left = { kind: "concat", parts, template: false, ...span };
      }
    }
    this.#depth--;
    return left;
  }

  #operand(): Expression {
    let token = this.#tokens[this.#at];
    while (token !== undefined && (SKIPPED.test(token.text) || MODIFIERS.has(token.text)))
      token = this.#tokens[++this.#at];
    if (token === undefined) return unknown([], token);
    const span = spanOf(token);
    const isCaptured = token.kind === "number" && this.#textAt(-1) === "&";
    const it = this.#it;
    if (it !== undefined && (isCaptured || token.text === "it")) {
      this.#at++;
      if (isCaptured) this.#it = undefined;
      return it;
    }
    if (token.kind === "sign") return this.#bracket(token);
    this.#at++;
    if (token.kind === "name") return nameOf(token);
    if (token.kind === "number") return { kind: "literal", value: Number(token.text), ...span };
    const text = this.#text(token);
    return token.kind === "text"
      ? text
      : callOf({ kind: "name", name: "qx", ...span }, { items: [text] }, span);
  }

  #bracket(token: Token): Expression {
    const span = spanOf(token);
    const close = closing(token.text);
    if (close !== undefined) {
      const { items, keywords = [] } = this.#list(close);
      if (token.text === "(" && items.length === 1 && items[0] !== undefined) return items[0];
      if (keywords.length === 0) return { kind: "list", items, ...span };
      const entries = keywords.map(
        ({ name, value }): DictionaryEntry => ({ key: { kind: "literal", value: name, ...span }, value }),
      );
      return { kind: "dictionary", entries, ...span };
    }
    const name = this.#tokens[this.#at + 1];
    // Perl's `<$file>`.
    if (token.text !== "<" || name?.isMarked !== true) return unknown([], token);
    this.#at += 3;
    return nameOf(name);
  }

  #postfix(start: Expression, role: "value" | "target"): Expression {
    let result = start;
    for (let token = this.#tokens[this.#at]; token !== undefined; token = this.#tokens[this.#at]) {
      const next = this.#tokens[this.#at + 1];
      const span = { from: result.from, to: next?.to ?? token.to };
      if (next?.kind === "name" && !next.isApart && this.#isMember(token)) {
        this.#at += 2;
        result = { kind: "member", object: result, property: nameOf(next).name, ...span };
      } else if (/^(?:->|!)$/.test(token.text) && !token.isApart) this.#at++;
      else if (token.text === "(" && result.kind !== "literal")
        result = callOf(result, this.#list(")"), this.#spanFrom(result));
      else if (/^[[{]$/.test(token.text) && !token.isApart && result.kind !== "literal")
        result = this.#index(result, token.text);
      else if (token.text === "{" && result.kind === "member") {
        this.#it = result;
        break;
      } else if (role === "value" && this.#isGiven(result, token))
        result = callOf(result, this.#list(undefined), this.#spanFrom(result));
      else break;
    }
    return result;
  }

  #isMember({ text, isApart }: Token): boolean {
    if (text === ".") return !this.#joinsByDot;
    return MEMBERS.test(text) || (text === ":" && !isApart && this.#tokens[this.#at + 2]?.text === "(");
  }

  #index(object: Expression, bracket: string): Expression {
    const given = this.#list(closing(bracket));
    const [key] = given.items;
    const span = this.#spanFrom(object);
    if (given.items.length !== 1 || key === undefined || given.keywords?.[0] !== undefined)
      // `data[0, 60]` and `data[:60]` are slices; `{ … }` is a block argument.
      return bracket === "[" ? unknown([object, ...given.items], span) : callOf(object, given, span);
    const isWord = key.kind === "name" && bracket === "{";
    return {
      kind: "index",
      object,
      index: isWord ? { ...key, kind: "literal", value: key.name } : key,
      ...span,
    };
  }

  /** `system "id"`, `eval $page`: a name and its arguments, without brackets. */
  #isGiven(callee: Expression, token: Token): boolean {
    if (callee.kind !== "name" && callee.kind !== "member") return false;
    if (!token.isApart || token.kind === "sign" || STOPS.has(token.text)) return false;
    return this.#tokens[this.#at - 1]?.isMarked !== true;
  }

  /** The content of brackets or, without `end`, the rest of the statement or its bracket. */
  #list(end: string | undefined): Arguments {
    if (end !== undefined) this.#at++;
    const items: Expression[] = [];
    const keywords: Keyword[] = [];
    while (this.#at < this.#tokens.length && !this.#isEnd(end)) {
      const before = this.#at;
      const value = this.#expression();
      if (/^(?:=>|:|=)$/.test(this.#textAt())) {
        this.#at++;
        const name = value.kind === "name" ? value.name : value.kind === "literal" ? String(value.value) : "";
        keywords.push({ name, value: this.#expression() });
      } else if (this.#at > before) items.push(value);
      if (this.#textAt() === "," || this.#at === before) this.#at++;
      else if (end === undefined) break;
    }
    if (this.#textAt() === end) this.#at++;
    return { items, keywords };
  }

  #isEnd(end: string | undefined): boolean {
    const text = this.#textAt();
    return end === undefined ? /^[)\]}{]$/.test(text) || STOPS.has(text) : text === end;
  }

  #text(token: Token): Expression {
    const span = spanOf(token);
    const start = /^(?:%x|qx)?./.exec(token.text)?.[0].length ?? 1;
    const isOpen = token.kind === "text" && (token.text.length < 2 || token.text.at(-1) !== token.text[0]);
    const body = token.text.slice(start, isOpen ? undefined : -1);
    const literal = (text: string): Expression => ({ kind: "literal", value: readEscapes(text), ...span });
    if (token.text.startsWith("'") || !/[$#\\]/.test(body)) return literal(body);
    const parts: Expression[] = [];
    let at = 0;
    for (const match of body.matchAll(TAKEN_IN)) {
      if (match.index > at) parts.push(literal(body.slice(at, match.index)));
      const code = match[1] ?? match[2] ?? match[3] ?? "";
      const inside = this.#depth >= MAX_DEPTH / 4 ? [] : readStatements(code, "").statements;
      const tokens = (inside[0]?.tokens ?? []).map((inner) => ({ ...inner, ...span }));
      parts.push(new OtherExpression(tokens, this.#joinsByDot, this.#depth + 1).whole());
      at = match.index + match[0].length;
    }
    if (at === 0) return literal(body);
    parts.push(literal(body.slice(at)));
    return { kind: "concat", parts, template: true, ...span };
  }

  #textAt(offset = 0): string {
    return this.#tokens[this.#at + offset]?.text ?? "";
  }

  #spanFrom({ from, to }: Span): Span {
    return { from, to: this.#tokens[this.#at - 1]?.to ?? to };
  }
}

const TAKEN_IN =
  /[#$]\{([^{}]{1,200})\}|\\\(([^()]{1,200})\)|\{?(\$[A-Za-z_]\w{0,80}(?:(?:->|\.)?(?:\{\w{1,80}\}|\[["']?\w{1,80}["']?\])|->\w{1,80}){0,4})\}?/g;

export function callOf(
  callee: Expression,
  { items, keywords = [] }: Arguments,
  { from, to }: Span,
): Expression {
  return { kind: "call", callee, positional: items, keywords, from, to };
}

function piped(left: Expression, right: Expression, span: Span): Expression {
  return right.kind === "call"
    ? { ...right, positional: [left, ...right.positional] }
    : callOf(right, { items: [left] }, span);
}

export function nameOf({ text, from, to }: Token): Extract<Expression, { readonly kind: "name" }> {
  return { kind: "name", name: text.replace(/[!?]$/, ""), from, to };
}

function unknown(parts: readonly Expression[], span: Span | undefined): Expression {
  return { kind: "unknown", parts, from: span?.from ?? 0, to: span?.to ?? 0 };
}

function closing(bracket: string): string | undefined {
  return bracket === "(" ? ")" : bracket === "[" ? "]" : bracket === "{" ? "}" : undefined;
}
