import type * as Yaml from "yaml";
import { loadYaml } from "./load-yaml.ts";

/** One YAML document and its line starts; a document with errors must not be used. */
export interface ParsedYaml {
  readonly document: Yaml.Document.Parsed;
  readonly lines: Yaml.LineCounter;
  /** The offset of a second document, which is not read. */
  readonly secondStart?: number;
  /** The offset at which the parser stopped because of too many errors. */
  readonly stoppedAt?: number;
}

export interface YamlTooDeep {
  /** `colons`: lines such as `a: b: c`, which are not YAML; the library nests each in the one before. */
  readonly tooDeep: "collections" | "colons";
  readonly line: number;
  readonly column: number;
}

export type ParseYamlOptions = Yaml.ParseOptions &
  Yaml.DocumentOptions &
  Yaml.SchemaOptions & {
    readonly maxDepth: number;
  };

// After an error the parser may reject every token; directives are as cheap to write and as useless.
const MAX_REJECTED_TOKENS = 1000;

/**
 * The library walks maps and lists recursively. If it overflows the stack inside a regular expression, V8
 * ends the whole process. The parser keeps open collections in a list of its own, so the depth is checked
 * after every token: brackets in quotes and comments do not count, and no deep document is ever built.
 */
export function parseYaml(text: string, options: ParseYamlOptions): ParsedYaml | YamlTooDeep {
  const { maxDepth, ...composing } = options;
  const yaml = loadYaml();
  const lines = new yaml.LineCounter();
  const parser = new yaml.Parser(lines.addNewLine);
  const tokens: Yaml.CST.Token[] = [];
  let rejected = 0;
  lines.addNewLine(0);
  for (const lexeme of new yaml.Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) {
      tokens.push(token);
      if (token.type === "error" || token.type === "directive") rejected += 1;
    }
    if (depthOf(parser.stack) > maxDepth) return locate(parser.stack, lines);
    if (rejected >= MAX_REJECTED_TOKENS) break;
  }
  const stoppedAt = rejected >= MAX_REJECTED_TOKENS ? parser.offset : undefined;
  for (const token of parser.end()) tokens.push(token);
  return { ...compose(tokens, text, composing), lines, ...(stoppedAt !== undefined && { stoppedAt }) };
}

export function isTooDeep(parsed: ParsedYaml | YamlTooDeep): parsed is YamlTooDeep {
  return "tooDeep" in parsed;
}

/** The number of open maps and lists; the stack also has the document, and perhaps a scalar on top. */
function depthOf(stack: readonly Yaml.CST.Token[]): number {
  return stack.length - (isCollection(stack.at(-1)) ? 1 : 2);
}

function isCollection(token: Yaml.CST.Token | undefined): boolean {
  return token?.type === "block-map" || token?.type === "block-seq" || token?.type === "flow-collection";
}

function locate(stack: readonly Yaml.CST.Token[], lines: Yaml.LineCounter): YamlTooDeep {
  const colon = stack.find((token, index) => isOnLineOfParent(token, stack[index - 1]));
  const { line, col: column } = lines.linePos((colon ?? stack.at(-1))?.offset ?? 0);
  return { tooDeep: colon === undefined ? "collections" : "colons", line, column };
}

/** Whether a map begins on the line of another map's key; properly nested maps are indented further. */
function isOnLineOfParent(token: Yaml.CST.Token, parent: Yaml.CST.Token | undefined): boolean {
  return token.type === "block-map" && parent?.type === "block-map" && token.indent === parent.indent;
}

function compose(
  tokens: readonly Yaml.CST.Token[],
  text: string,
  options: Omit<ParseYamlOptions, "maxDepth">,
): Omit<ParsedYaml, "lines"> {
  // The library's own check for duplicate keys compares each key with all others.
  const composer = new (loadYaml().Composer)({ ...options, uniqueKeys: false });
  const [, second] = tokens.filter(({ type }) => type === "document");
  const first = second === undefined ? tokens : tokens.slice(0, tokens.indexOf(second));
  const [document] = composer.compose(first, true, text.length) as Iterable<Yaml.Document.Parsed>;
  if (document === undefined) throw new Error("a forced composition yields a document");
  return second === undefined ? { document } : { document, secondStart: second.offset };
}
