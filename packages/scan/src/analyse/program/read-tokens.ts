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
const MAX_TOKENS = 200_000;
const MAX_STATEMENT_LINES = 12;

/** Splits code of any language into statements. It knows strings, comments and brackets, and nothing else. */
export function readStatements(
  whole: string,
  file: string,
): { readonly statements: readonly TokenStatement[]; readonly isCut: boolean } {
  const text = withoutManual(whole).replace(/^<\?(?:php|=)?/, (mark) => " ".repeat(mark.length));
  const comment = commentOf(file);
  const splitter = new Splitter(file);
  const pattern = new RegExp(TOKEN);
  let lineStart = 0;
  for (
    let match = pattern.exec(text);
    match !== null && splitter.count < MAX_TOKENS;
    match = pattern.exec(text)
  ) {
    const [word, sigil = ""] = match;
    const from = match.index;
    if (word === "\n") {
      splitter.line(text, from);
      lineStart = from + 1;
    } else if (comment.test(word) && startsComment(text, lineStart, from, word)) {
      const stop = text.indexOf("\n", from);
      pattern.lastIndex = stop === -1 ? text.length : stop;
    } else splitter.add(word, sigil, from, from - lineStart);
  }
  splitter.end();
  return { statements: splitter.statements, isCut: splitter.count >= MAX_TOKENS };
}

class Splitter {
  readonly statements: TokenStatement[] = [];
  count = 0;
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
    else if (word === ";" && this.#depth <= 0) this.end();
    else if (word === "{" && opensBody(this.#tokens)) {
      this.#braces++;
      this.end();
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
    this.count++;
    if (this.#tokens.length >= MAX_STATEMENT_TOKENS) this.end();
  }
}

const TOKEN =
  /"(?:[^"\\\n]|\\[^\n])*"?|'(?:[^'\\\n]|\\[^\n])*'|`(?:[^`\\\n]|\\[^\n])+`|(?:%x|qx)(?:\{[^{}\n]*\}|\([^()\n]*\)|\|[^|\n]*\|)|do shell script|hidden answer|quoted form of|([$@]{1,2}(?=[A-Za-z_])|%(?=ENV\b))?[A-Za-z_]\w*(?:[!?](?=\())?|\d[\w.]*|:=|<-|=>|->|::|&\.|\?\.|\|>|\.\.|[=!]=+|=~|(?:\|\||&&|\/\/|\+|\.|\?|<<)=|\/\/|--|\|\||&&|<<|[^\S\n]+|[\s\S]/g;

function kindOf(word: string): Token["kind"] {
  if (/^["']/.test(word) && word.length > 1) return "text";
  if (/^(?:`|%x|qx[{(|])./.test(word)) return "command";
  if (/^[A-Za-z_]/.test(word)) return "name";
  return /^\d/.test(word) ? "number" : "sign";
}

/** Manuals that Perl and Ruby keep among the code, as blanks of the same length. */
function withoutManual(text: string): string {
  return text.replace(MANUAL, (manual) => manual.replace(/[^\n]/g, " "));
}

// To the end where none is written, so that no line is looked at twice.
const MANUAL = /^__END__$[\s\S]*|^=[a-z][\s\S]*?(?:^=(?:cut|end)\b|(?![\s\S]))/gm;

/** Which sign begins a comment is said by the name of the file; `//` is an operator in Perl, `#` a length in Lua. */
function commentOf(file: string): RegExp {
  if (/\.(?:lua|applescript|hs|sql|elm|adb)$/i.test(file)) return /^--$/;
  if (/\.(?:py|rb|pl|pm|r|jl|exs?|awk|tcl|nim|cr|rake|gemspec|t)$/i.test(file)) return /^#$/;
  if (/\.php$/i.test(file)) return /^(?:#|\/\/)$/;
  return /^(?:#|\/\/|--|\*)$/;
}

/** `#{x}`, `a -- b` and `a * b` are none; what begins a line always is one. */
function startsComment(text: string, lineStart: number, at: number, sign: string): boolean {
  if (text.slice(Math.max(lineStart, at - 200), at).trim() === "") return true;
  if (sign === "//") return text[at - 1] !== ":";
  return sign !== "*" && /\s/.test(text[at - 1] ?? "") && text[at + sign.length] === " ";
}

/** A brace after a closing bracket begins the body of a function or a branch. */
function opensBody(tokens: readonly Token[]): boolean {
  return /^(?:\)|else|do|try|BEGIN|END|loop|unsafe|async)$/.test(tokens.at(-1)?.text ?? "");
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
