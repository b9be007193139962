import type { SourceText } from "../../text/source-text.ts";
import { wordSet } from "../../word-list.ts";
import { otherApi } from "./other-api.ts";
import { callOf, MODIFIERS, nameOf, OtherExpression } from "./other-expression.ts";
import type { Expression, Program, Statement } from "./program-tree.ts";
import { readStatements, TOO_LONG, type Token, type TokenStatement } from "./read-tokens.ts";
import { assignment } from "./syntax-reader.ts";

/**
 * Reads Ruby, Perl, PHP, Go, Lua and the like, which have no parser here, by what these languages share:
 * calls, members, texts, assignments and functions. Branches and loops are read as if each ran once.
 */
export function lowerOther({ text, file }: SourceText): Program {
  // A dot joins texts in PHP and Perl, which alone mark every variable.
  const joinsByDot = DOT_FILES.test(file) || /^\s{0,40}(?:my\s+)?\$\w{1,80}\s{0,8}=/m.test(text);
  const { statements, isCut } = readStatements(text, file);
  const body: Statement[] = [];
  const open: { readonly header: TokenStatement; readonly body: Statement[] }[] = [];
  for (const statement of statements) {
    for (
      let inside = open.at(-1);
      inside !== undefined && closes(statement, inside.header);
      inside = open.at(-1)
    )
      returnLast(open.pop()?.body);
    const target = open.at(-1)?.body ?? body;
    const header = headerOf(statement.tokens);
    const rest = declarationsIn(statement.tokens.slice(header?.end ?? 0)).flatMap((tokens) =>
      lowerStatement(tokens, joinsByDot),
    );
    if (header === undefined) target.push(...rest);
    else {
      const span = { from: header.name.from, to: header.name.to };
      const parameters = header.parameters.map((name) => ({
        target: nameOf(name),
        fallback: undefined,
        isRest: false,
      }));
      const inner = [...rest];
      const definition = { name: header.name.text, parameters, body: inner, ...span };
      target.push({ kind: "function", definition, ...span });
      open.push({ header: statement, body: inner });
    }
  }
  for (const { body: inner } of open) returnLast(inner);
  return {
    language: "code",
    api: otherApi(file),
    body,
    remarks: [],
    errorCharacters: 0,
    cut: isCut ? TOO_LONG : undefined,
  };
}

const DOT_FILES = /\.(?:php|phtml|inc|pl|pm|t|cgi)$/i;

/** Whether a statement is after the end of a function: its brace is closed, or the indentation has ended. */
function closes({ tokens, column, braces }: TokenStatement, header: TokenStatement): boolean {
  return braces <= header.braces && (column <= header.column || tokens[0]?.text === "}");
}

/** In many of these languages a function returns the value of its last statement. */
function returnLast(body: Statement[] = []): void {
  const last = body.at(-1);
  if (last?.kind === "expression" && last.value.kind !== "assign")
    body.splice(-1, 1, { ...last, kind: "return" });
}

const FUNCTIONS: ReadonlySet<string> = wordSet("def defp func fn fun sub function");

/** `func (r *Reader) Read(…)` in Go, `def self.read` in Ruby, `function M.read(…)` in Lua; `end` is where the body begins. */
function headerOf(tokens: readonly Token[]) {
  const word = tokens.findIndex(({ text }) => text !== "}" && !MODIFIERS.has(text));
  if (!FUNCTIONS.has(tokens[word]?.text ?? "")) return undefined;
  let at = word + 1;
  if (tokens[at]?.text === "(") at = tokens.findIndex(({ text }) => text === ")") + 1;
  while (/^[.:]$/.test(tokens[at + 1]?.text ?? "")) at += 2;
  const name = tokens[at];
  if (name?.kind !== "name") return undefined;
  const parameters: Token[] = [];
  let part: Token[] = [];
  if (tokens[at + 1]?.text === "(") at += 2;
  for (; at < tokens.length && !/^[={]$/.test(tokens[at]?.text ?? ""); at++) {
    const token = tokens[at];
    if (token === undefined || token === name) continue;
    if (token.text !== "," && token.text !== ")") part.push(token);
    else {
      parameters.push(...parameterIn(part));
      part = [];
      if (token.text === ")") break;
    }
  }
  const end = tokens.findIndex(({ text }, index) => index >= at && /^(?:[={]|do)$/.test(text));
  return { name, parameters, end: end === -1 ? tokens.length : end + 1 };
}

/** Go, Swift and Rust write the type after the name, Java and C# before it. */
function parameterIn(part: readonly Token[]): readonly Token[] {
  const names = part.filter(({ kind }) => kind === "name");
  const colon = part.findIndex(({ text }) => text === ":");
  const isTyped = part.some(({ text }) => /^(?:[*[.]|string|u?int\d*|bool|byte|error|any)$/.test(text));
  const marked = names.find(({ isMarked }) => isMarked);
  const name = colon > 0 ? part[colon - 1] : (marked ?? (isTyped ? names[0] : names.at(-1)));
  return name === undefined ? [] : [name];
}

/** `Stream in = a.in(), out = b.out()` is two declarations. */
function declarationsIn(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const starts = [0];
  let depth = 0;
  for (const [index, { text }] of tokens.entries()) {
    depth += Number(/^[([{]$/.test(text)) - Number(/^[)\]}]$/.test(text));
    const isNext = text === "," && depth === 0 && tokens[index + 1]?.kind === "name";
    if (isNext && tokens[index + 2]?.text === "=" && ASSIGNS.test(tokens[2]?.text ?? ""))
      starts.push(index + 1);
  }
  return starts.map((start, place) => tokens.slice(start, (starts[place + 1] ?? tokens.length + 1) - 1));
}

const ASSIGNS = /^(?:=|:=|<-|\+=|\.=|\|\|=|\?=|\/\/=|&&=|<<)$/;
const OUTSIDE: ReadonlySet<string> = wordSet("_ ENV _ENV _SERVER STDIN STDOUT ARGV INC");

function lowerStatement(all: readonly Token[], joinsByDot: boolean): readonly Statement[] {
  const start = all.findIndex(({ text }) => text !== "}" && !MODIFIERS.has(text));
  const tokens = start === -1 ? [] : all.slice(start);
  const [first] = tokens;
  if (first === undefined) return [];
  const span = { from: first.from, to: tokens.at(-1)?.to ?? first.to };
  const read = (part: readonly Token[]): Expression => new OtherExpression(part, joinsByDot).whole();
  if (first.text === "return") return [{ kind: "return", value: read(tokens.slice(1)), ...span }];
  const sign = assignmentIn(all[start - 1]?.text === "set" ? "to" : undefined, tokens);
  // The statements in its block are read separately.
  const isOpen = tokens.at(-1)?.text === "{";
  const value = read(tokens.slice(sign + 1, isOpen ? -1 : undefined));
  const targets =
    sign === -1 ? givenNames(tokens, value, joinsByDot) : targetsIn(tokens.slice(0, sign), joinsByDot);
  if (targets.length === 0) return [{ kind: "expression", value, ...span }];
  return targets.map((target, index): Statement => {
    // The other names get a part of the value: an error, a second value.
    const given: Expression = index === 0 ? value : { kind: "unknown", parts: targets.slice(0, 1), ...span };
    return { kind: "expression", value: assigned(target, tokens[sign]?.text ?? "=", given), ...span };
  });
}

/** The assignment sign outside of brackets; AppleScript has a word for it. */
function assignmentIn(word: string | undefined, tokens: readonly Token[]): number {
  let depth = 0;
  return tokens.findIndex(({ text }, index) => {
    if (/^[([{]$/.test(text)) depth++;
    else if (/^[)\]}]$/.test(text)) depth--;
    return depth === 0 && index > 0 && (ASSIGNS.test(text) || text === word);
  });
}

function assigned(target: Expression, operator: string, value: Expression): Expression {
  const span = { from: target.from, to: value.to };
  if (target.kind === "name" && OUTSIDE.has(target.name)) return value;
  // `file << data`, and `command.Stdin = connection`.
  if (operator === "<<")
    return callOf({ kind: "member", object: target, property: "write", ...span }, { items: [value] }, span);
  if (target.kind === "member" && /^stdin$/i.test(target.property))
    return callOf(target, { items: [value] }, span);
  const isShared = target.kind === "name" && target.name.startsWith("@");
  return { ...assignment(target, /^[+.]=$/.test(operator) ? "+=" : "=", value, span), declares: !isShared };
}

/** The names on the left: the last word of `String name`, the first of `name: Type`. */
function targetsIn(tokens: readonly Token[], joinsByDot: boolean): readonly Expression[] {
  const parts: Token[][] = [[]];
  let isType = false;
  for (const token of tokens) {
    if (token.text === ",") parts.push([]);
    if (/^[,:]$/.test(token.text)) isType = token.text === ":";
    else if (!isType && !/^[()]$/.test(token.text)) parts.at(-1)?.push(token);
  }
  return parts.flatMap((part) => {
    const start = part.findLastIndex(
      ({ kind, isApart }, index) => kind === "name" && (isApart || index === 0),
    );
    return start === -1 ? [] : [new OtherExpression(part.slice(start), joinsByDot).target()];
  });
}

/** Perl's `open(my $file, …)` fills its first argument, and `… do |page|` passes a result to the block. */
function givenNames(tokens: readonly Token[], value: Expression, joinsByDot: boolean): readonly Expression[] {
  if (joinsByDot && tokens[0]?.text === "open" && value.kind !== "assign")
    return tokens
      .filter(({ kind, text }) => kind === "name" && !MODIFIERS.has(text))
      .slice(1, 2)
      .map(nameOf);
  const last = tokens.at(-1);
  // `stream.use {` passes its block an implicit `it`.
  if (last?.text === "{") return [nameOf({ ...last, text: "it" })];
  if (last?.text !== "|") return [];
  const start = tokens.slice(0, -1).findLastIndex(({ text }) => text === "|");
  return tokens
    .slice(start + 1)
    .filter(({ kind }) => kind === "name")
    .map(nameOf);
}
