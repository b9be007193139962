import type { Span } from "../fact-writer.ts";

export interface Token extends Span {
  readonly kind: "name" | "text" | "command" | "number" | "sign";
  /** Of a name without its sigil, of a text with its quotes. */
  readonly text: string;
  readonly isApart: boolean;
  /** Whether a sigil marks it as a variable: `$x`. */
  readonly isMarked: boolean;
}

export interface TokenStatement {
  readonly tokens: readonly Token[];
  /** How far the first token is indented, and how many braces are open there. */
  readonly column: number;
  readonly braces: number;
}

const MAX_STATEMENT_TOKENS = 1_000;
export const MAX_TOKENS: number = 500_000;
export const TOO_LONG: string = `code is longer than ${MAX_TOKENS} words and signs: the rest is not followed`;
const MAX_STATEMENT_LINES = 12;

/** Splits code of any language into statements. It knows strings, comments and brackets, and nothing else. */
export function readStatements(
  text: string,
  file: string,
): { readonly statements: readonly TokenStatement[]; readonly isCut: boolean } {
  const language = LANGUAGES.find(({ files }) => files.test(file)) ?? UNKNOWN_LANGUAGE;
  const splitter = new Splitter(file);
  const skipper = new Skipper(text, language);
  let lineStart = 0;
  let from = /^<\?(?:php|=)?/.exec(text)?.[0].length ?? 0;
  while (from < text.length && splitter.count < MAX_TOKENS) {
    const comment = skipper.commentAt(from, from === lineStart, splitter.isBetween);
    const to = comment ?? skipper.tokenAt(from);
    const word = text.slice(from, to);
    const newline = comment === undefined && word !== "\n" ? -1 : word.lastIndexOf("\n");
    if (newline !== -1) {
      lineStart = from + newline + 1;
      splitter.line(text, lineStart - 1);
    } else if (comment === undefined) splitter.add(word, skipper.sigil, from, from - lineStart);
    from = to;
  }
  splitter.end();
  return { statements: splitter.statements, isCut: from < text.length };
}

/** Finds where comments and tokens end. */
class Skipper {
  sigil = "";
  readonly #text: string;
  readonly #language: Language;
  readonly #pattern = new RegExp(TOKEN);
  /** Up to where nothing closes what a sign opens, so that no text is searched twice. */
  readonly #unclosed = new Map<string, number>();

  constructor(text: string, language: Language) {
    this.#text = text;
    this.#language = language;
  }

  commentAt(from: number, isLineStart: boolean, isBetween: boolean): number | undefined {
    const text = this.#text;
    const { line, block, manual } = this.#language;
    if (manual !== undefined && isLineStart && /[=_]/.test(text[from] ?? "")) {
      const start = text.slice(from, from + 20);
      if (/^__(?:END|DATA)__\s*$/m.test(start)) return text.length;
      // In the middle of a statement the sign assigns.
      if (manual.open.test(start) && (isBetween || manual.standsAnywhere)) {
        const close = text.indexOf(manual.close, from);
        return this.#lineEnd(close === -1 ? text.length : close + 1);
      }
    }
    if (block !== undefined && text.startsWith(block[0], from)) {
      const close = this.#closing(block[1], from + block[0].length, text.length);
      if (close !== undefined) return close + block[1].length;
    }
    const sign = line.find((one) => text.startsWith(one, from));
    return sign !== undefined && this.#begins(sign, from) ? this.#lineEnd(from) : undefined;
  }

  tokenAt(from: number): number {
    const first = this.#text[from] ?? "";
    this.sigil = "";
    if (/["'`]/.test(first)) {
      const close = this.#quoteEnd(first, from);
      // Only a double quote cannot be anything else.
      return close ?? (first === '"' ? this.#lineEnd(from) : from + 1);
    }
    this.#pattern.lastIndex = from;
    const [word = "", sigil = ""] = this.#pattern.exec(this.#text) ?? [];
    this.sigil = sigil;
    return from + word.length;
  }

  /** After `:` the slashes are an address; after anything but a blank or a bracket `#` belongs to a word. */
  #begins(sign: string, at: number): boolean {
    const before = this.#text[at - 1] ?? "\n";
    const after = this.#text[at + sign.length] ?? "\n";
    if (sign === "//") return before !== ":";
    if (this.#language === UNKNOWN_LANGUAGE) return /\s/.test(before) && /\s/.test(after);
    return sign !== "#" || (/[\s;,(){}[\]]/.test(before) && after !== "[");
  }

  #lineEnd(from: number): number {
    const end = this.#text.indexOf("\n", from);
    return end === -1 ? this.#text.length : end;
  }

  #closing(sign: string, from: number, end: number): number | undefined {
    if (from < (this.#unclosed.get(sign) ?? 0)) return undefined;
    const close = this.#text.indexOf(sign, from);
    if (close === -1) this.#unclosed.set(sign, end);
    return close === -1 ? undefined : close;
  }

  /** A quote that its line does not close leaves open all later ones of that line. */
  #quoteEnd(quote: string, from: number): number | undefined {
    const text = this.#text;
    if (from < (this.#unclosed.get(quote) ?? 0)) return undefined;
    let at = from + 1;
    for (; at < text.length && text[at] !== "\n"; at++) {
      if (text[at] === quote) return at + 1;
      if (text[at] === "\\" && text[at + 1] !== "\n") at++;
    }
    this.#unclosed.set(quote, at);
    return undefined;
  }
}

interface Language {
  readonly files: RegExp;
  /** What begins a comment to the end of its line. */
  readonly line: readonly string[];
  /** What stands around a comment of any length. */
  readonly block?: readonly [open: string, close: string];
  /** Documentation among the code, from one line to another. */
  readonly manual?: { readonly open: RegExp; readonly close: string; readonly standsAnywhere: boolean };
}

const LANGUAGES: readonly Language[] = [
  {
    files: /\.(?:rb|rake|gemspec|cr)$|(?:^|\/)(?:Gem|Rake|Pod|Fast|Vagrant|Brew|Guard|Cap)file$/i,
    line: ["#"],
    manual: { open: /^=begin\b/, close: "\n=end", standsAnywhere: true },
  },
  {
    files: /\.(?:pl|pm|t|cgi)$/i,
    line: ["#"],
    manual: { open: /^=[a-z]/i, close: "\n=cut", standsAnywhere: false },
  },
  { files: /\.(?:py|r|exs?|awk|tcl|nim)$/i, line: ["#"] },
  { files: /\.jl$/i, line: ["#"], block: ["#=", "=#"] },
  { files: /\.(?:php|phtml|inc)$/i, line: ["#", "//"], block: ["/*", "*/"] },
  { files: /\.lua$/i, line: ["--"], block: ["--[[", "]]"] },
  { files: /\.(?:applescript|scpt)$/i, line: ["--", "#"], block: ["(*", "*)"] },
  { files: /\.(?:hs|elm)$/i, line: ["--"], block: ["{-", "-}"] },
  { files: /\.(?:sql|pgsql)$/i, line: ["--"], block: ["/*", "*/"] },
  { files: /\.adb$/i, line: ["--"] },
  {
    files:
      /\.(?:go|rs|java|kts?|cs|swift|dart|scala|sc|groovy|gradle|c|h|cc|cpp|cxx|hpp|hh|mm?|zig|[cm]?[jt]sx?|d|proto|sol)$/i,
    line: ["//"],
    block: ["/*", "*/"],
  },
];
/** Of a piece of code in a text, or of a rarer language: signs that stand apart. */
const UNKNOWN_LANGUAGE: Language = { files: /(?:)/, line: ["#", "//", "--"], block: ["/*", "*/"] };

class Splitter {
  readonly statements: TokenStatement[] = [];
  count = 0;
  /** Whether the last statement is over. */
  isBetween = true;
  readonly #isRuby: boolean;
  #tokens: Token[] = [];
  #isApart = true;
  /** Brackets and braces that are open in this statement. */
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
    // A variable of a Ruby object is seen by all its methods, and keeps its mark.
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
  // The body of a function that is handed over is statements of its own.
  if (/^(?:\{|do|\||=>|->)$/.test(last)) return false;
  if (depth > 0 || /^(?:[,=+\\&]|\.\.|&&|\|>|:=|<-)$/.test(last)) return true;
  return /^[ \t]{0,80}(?:\.[A-Za-z]|->|\|>|&\.)/.test(text.slice(at + 1, at + 90));
}
