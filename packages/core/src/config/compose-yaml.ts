import type { Document, LineCounter } from "yaml";
import type { Range } from "../diagnostic.ts";
import { loadYaml } from "../format/load-yaml.ts";

// Ours never nests deeper than five.
const MAX_DEPTH = 32;

/** A fault of YAML itself. */
export interface YamlFault {
  readonly range: Range;
  readonly message: string;
  readonly hint: string;
}

/** A YAML text as a document that can be edited; with faults it must not be used. */
export interface ComposedYaml {
  readonly document: Document.Parsed;
  readonly faults: readonly YamlFault[];
  readonly rangeOf: (start: number, end: number) => Range;
}

/**
 * Parses one YAML document.
 *
 * The library composes nodes by recursion and a thousand nested brackets end the whole process (V8 aborts when a
 * regular expression is compiled on an exhausted stack), so depth is measured on the flat tokens first.
 */
export function composeYaml(text: string): ComposedYaml | YamlFault {
  const { Composer, LineCounter: Counter, Parser } = loadYaml();
  const counter: LineCounter = new Counter();
  const tokens = [...new Parser(counter.addNewLine).parse(text)];
  if (isTooDeep(tokens)) {
    return {
      range: { line: 1, column: 1 },
      message: `maps and lists are nested more than ${MAX_DEPTH} deep`,
      hint: "look for brackets that are never closed",
    };
  }
  // Duplicate keys are found later: the library compares every key with every other.
  const composer = new Composer({
    uniqueKeys: false,
    stringKeys: true,
    prettyErrors: false,
    resolveKnownTags: false,
    logLevel: "silent",
  });
  const documents = [...composer.compose(tokens, true, text.length)] as Document.Parsed[];
  const [document, second] = documents;
  if (document === undefined) throw new Error("a forced composition yields a document");
  const rangeOf = (start: number, end: number): Range => locate(counter, start, end);
  const faults = [...document.errors, ...document.warnings].map(
    ({ pos, message }): YamlFault => ({
      range: rangeOf(pos[0], pos[1]),
      message: `this is not valid YAML: ${message}`,
      hint: "check quotes, colons and indentation here and on the line above",
    }),
  );
  if (second !== undefined) {
    faults.push({
      range: rangeOf(second.range[0], second.range[0] + 1),
      message: "there is a second document",
      hint: "remove the `---` line",
    });
  }
  return { document, faults, rangeOf };
}

interface Token {
  readonly value?: unknown;
  readonly items?: readonly { readonly key?: unknown; readonly value?: unknown }[];
}

function isTooDeep(tokens: readonly unknown[]): boolean {
  const waiting = tokens.map((token) => ({ token, depth: 0 }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.depth > MAX_DEPTH) return true;
    const { value, items } = next.token as Token;
    if (isToken(value)) waiting.push({ token: value, depth: next.depth });
    for (const item of items ?? []) {
      if (isToken(item.key)) waiting.push({ token: item.key, depth: next.depth + 1 });
      if (isToken(item.value)) waiting.push({ token: item.value, depth: next.depth + 1 });
    }
  }
  return false;
}

function isToken(value: unknown): value is Token {
  return typeof value === "object" && value !== null;
}

function locate(counter: LineCounter, start: number, end: number): Range {
  const from = counter.linePos(start);
  const to = counter.linePos(Math.max(start, end));
  return {
    line: Math.max(1, from.line),
    column: Math.max(1, from.col),
    endLine: Math.max(1, to.line),
    endColumn: Math.max(1, to.col),
  };
}
