import type { Span } from "../fact-writer.ts";

export interface Token extends Span {
  readonly kind: "name" | "text" | "command" | "number" | "sign";
  /** A name without its sigil, or a text with its quotes. */
  readonly text: string;
  readonly isApart: boolean;
  /** Whether a sigil marks it as a variable: `$x`. */
  readonly isMarked: boolean;
}

export interface TokenStatement {
  readonly tokens: readonly Token[];
  /** The indentation of the first token, and the number of braces open there. */
  readonly column: number;
  readonly braces: number;
}

const MAX_STATEMENT_TOKENS = 1_000;
export const MAX_TOKENS: number = 500_000;
export const TOO_LONG: string = `code is longer than ${MAX_TOKENS} words and signs: the rest is not followed`;
const MAX_STATEMENT_LINES = 12;

/** Splits code of any language into statements by strings, comments and brackets alone. */
export function readStatements(
  text: string,
  file: string,
): { readonly statements: readonly TokenStatement[]; readonly isCut: boolean } {
  const comment = new RegExp(COMMENTS.find(([files]) => files.test(file))?.[1] ?? APART, "my");
  const manual = PERL_FILES.test(file) ? new RegExp(PERL_MANUAL) : undefined;
  const token = new RegExp(TOKEN);
  const splitter = new Splitter(file);
  const unclosed = new Map<string, number>();
  const matchAt = (pattern: RegExp, at: number): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  let lineStart = 0;
  let from = /^<\?(?:php|=)?/.exec(text)?.[0].length ?? 0;
  while (from < text.length && splitter.count < MAX_TOKENS) {
    // In the middle of a statement, the sign that begins a Perl manual is an assignment.
    const isManual = manual !== undefined && from === lineStart && splitter.isBetween;
    const skipped = (isManual ? matchAt(manual, from) : null) ?? matchAt(comment, from);
    const [read = "", sigil = ""] = skipped ?? matchAt(token, from) ?? [];
    const isQuote = skipped === null && /["'`]/.test(read);
    const word = isQuote ? quotedAt(text, from, unclosed) : read;
    const newline = skipped === null && word !== "\n" ? -1 : word.lastIndexOf("\n");
    if (newline !== -1) {
      lineStart = from + newline + 1;
      splitter.line(text, lineStart - 1);
    } else if (skipped === null) splitter.add(word, sigil, from, from - lineStart);
    from += word.length;
  }
  splitter.end();
  return { statements: splitter.statements, isCut: from < text.length };
}

/** A text with its quotes. A quote that is not closed on its line leaves all later ones of that line open. */
function quotedAt(text: string, from: number, unclosed: Map<string, number>): string {
  const quote = text[from] ?? "";
  let at = from + 1;
  if (at <= (unclosed.get(quote) ?? 0)) return quote;
  for (; at < text.length && text[at] !== "\n"; at++) {
    if (text[at] === quote) return text.slice(from, at + 1);
    if (text[at] === "\\" && text[at + 1] !== "\n") at++;
  }
  unclosed.set(quote, at);
  // Only a double quote cannot be anything else.
  return quote === '"' ? text.slice(from, at) : quote;
}

/** A comment of several lines; unclosed, it extends to the end, so that no text is searched twice. */
function block(open: string, close: string): string {
  return String.raw`${open}[\s\S]*?(?:${close}|(?![\s\S]))`;
}

// Perl's `$#list` and PHP's `#[Attribute]` are not comments, nor is the text after an address's colon.
const HASH = String.raw`(?<=^|[\s;,(){}[\]])#(?!\[)[^\n]*`;
const SLASHES = String.raw`(?<!:)//[^\n]*|${block(String.raw`/\*`, String.raw`\*/`)}`;
const DASHES = String.raw`--[^\n]*`;
const AFTER_END = String.raw`^__(?:END|DATA)__\s*$[\s\S]*`;
const PERL_FILES = /\.(?:pl|pm|t|cgi)$/i;
const PERL_MANUAL = new RegExp(block("^=[a-zA-Z]", String.raw`^=cut[^\n]*`), "my");

const COMMENTS: readonly (readonly [files: RegExp, comment: string])[] = [
  [
    /\.(?:rb|rake|gemspec|cr)$|(?:^|\/)(?:Gem|Rake|Pod|Fast|Vagrant|Brew|Guard|Cap)file$/i,
    `${HASH}|${AFTER_END}|${block(String.raw`^=begin\b`, String.raw`^=end[^\n]*`)}`,
  ],
  [PERL_FILES, `${HASH}|${AFTER_END}`],
  [/\.(?:py|r|exs?|awk|tcl|nim)$/i, HASH],
  [/\.jl$/i, `${block("#=", "=#")}|${HASH}`],
  [/\.(?:php|phtml|inc)$/i, `${HASH}|${SLASHES}`],
  [/\.lua$/i, `${block(String.raw`--\[\[`, "]]")}|${DASHES}`],
  [/\.(?:applescript|scpt)$/i, `${DASHES}|${HASH}|${block(String.raw`\(\*`, String.raw`\*\)`)}`],
  [/\.(?:hs|elm)$/i, `${DASHES}|${block(String.raw`\{-`, String.raw`-\}`)}`],
  [/\.(?:sql|pgsql|adb)$/i, `${DASHES}|${block(String.raw`/\*`, String.raw`\*/`)}`],
  [
    /\.(?:go|rs|java|kts?|cs|swift|dart|scala|sc|groovy|gradle|c|h|cc|cpp|cxx|hpp|hh|mm?|zig|d|proto|sol)$/i,
    SLASHES,
  ],
];
/** For a code snippet or a rarer language: signs set apart by spaces, and blocks that are closed soon. */
const APART = String.raw`(?<=^|\s)(?:#|--)(?=\s)[^\n]*|(?<!:)//[^\n]*|/\*[\s\S]{0,500}?\*/`;

class Splitter {
  readonly statements: TokenStatement[] = [];
  count = 0;
  isBetween = true;
  readonly #isRuby: boolean;
  #tokens: Token[] = [];
  #isApart = true;
  #depth = 0;
  #curly = 0;
  #lines = 0;
  #braces = 0;
  #start = { column: 0, braces: 0 };

  constructor(file: string) {
    this.#isRuby = /\.(?:rb|rake)$/i.test(file);
  }

  end(): void {
    if (this.#tokens.length > 0) this.statements.push({ tokens: this.#tokens, ...this.#start });
    this.#tokens = [];
    this.#depth = this.#curly = this.#lines = 0;
  }

  line(text: string, at: number): void {
    if (this.#lines < MAX_STATEMENT_LINES && continues(this.#tokens, this.#depth, text, at)) this.#lines++;
    else this.end();
    this.#isApart = true;
  }

  add(word: string, sigil: string, from: number, column: number): void {
    if (word.trim() === "") this.#isApart = true;
    else if (word === ";" && this.#depth <= 0) {
      this.end();
      this.isBetween = true;
    } else if (word === "{" && opensBody(this.#tokens)) {
      this.#braces++;
      this.end();
      this.isBetween = true;
    } else {
      if (word === "}" && this.#curly === 0) this.end();
      if (word === "}") this.#braces = Math.max(0, this.#braces - 1);
      if (this.#tokens.length === 0) this.#start = { column, braces: this.#braces };
      if (word === "{") this.#braces++;
      this.#curly = Math.max(0, this.#curly + Number(word === "{") - Number(word === "}"));
      this.#depth += Number(/^[([]$/.test(word)) - Number(/^[)\]]$/.test(word));
      this.#push(word, sigil, from);
    }
  }

  #push(word: string, sigil: string, from: number): void {
    const kind = kindOf(word.slice(sigil.length));
    // A Ruby instance variable is visible to all methods of its object, and keeps its sigil.
    const name = sigil === "@" && this.#isRuby ? word : word.slice(sigil.length).replaceAll(" ", "_");
    const text = kind === "name" ? name : word;
    const to = from + word.length;
    this.#tokens.push({ kind, text, from, to, isApart: this.#isApart, isMarked: sigil !== "" });
    this.#isApart = false;
    this.isBetween = word === "}" && this.#tokens.length === 1;
    this.count++;
    if (this.#tokens.length >= MAX_STATEMENT_TOKENS) this.end();
  }
}

const TOKEN =
  /(?:%x|qx)(?:\{[^{}\n]*\}|\([^()\n]*\)|\|[^|\n]*\|)|do shell script|hidden answer|quoted form of|([$@]{1,2}(?=[A-Za-z_])|%(?=ENV\b))?[A-Za-z_]\w*(?:[!?](?=\())?|\d[\w.]*|:=|<-|=>|->|::|&\.|\?\.|\|>|\.\.|[=!]=+|=~|(?:\|\||&&|\/\/|\+|\.|\?|<<)=|\/\/|--|\|\||&&|<<|[^\S\n]+|[\s\S]/y;

function kindOf(word: string): Token["kind"] {
  if (/^["']/.test(word) && word.length > 1) return "text";
  if (/^(?:`[^`]|%x|qx[{(|])./.test(word)) return "command";
  if (/^[A-Za-z_]/.test(word)) return "name";
  return /^\d/.test(word) ? "number" : "sign";
}

/** A brace after a closing bracket begins the body of a function or a branch. */
function opensBody(tokens: readonly Token[]): boolean {
  return /^(?:\)|else|do|try|BEGIN|END|for|loop|unsafe|async)$/.test(tokens.at(-1)?.text ?? "");
}

function continues(tokens: readonly Token[], depth: number, text: string, at: number): boolean {
  const last = tokens.at(-1)?.text;
  if (last === undefined) return false;
  if (last === "{" && /^[,(=:]$/.test(tokens.at(-2)?.text ?? "")) return true;
  // The body of a function argument consists of separate statements.
  if (/^(?:\{|do|\||=>|->)$/.test(last)) return false;
  if (depth > 0 || /^(?:[,=+\\&]|\.\.|&&|\|>|:=|<-)$/.test(last)) return true;
  return /^[ \t]{0,80}(?:\.[A-Za-z]|->|\|>|&\.)/.test(text.slice(at + 1, at + 90));
}
