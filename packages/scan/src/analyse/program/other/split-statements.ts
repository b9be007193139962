import { readEscapes } from "../../read-escapes.ts";

export interface OtherStatement {
  readonly from: number;
  readonly to: number;
  /** The code with every string empty, so that patterns of code do not match in texts. */
  readonly code: string;
  /** The strings in it; those that only a sign joins are one. */
  readonly literals: readonly string[];
  /** Text between backticks, which most of these languages run. */
  readonly commands: readonly string[];
  /** Names outside strings, and those that a string takes in: `#{key}`, `$key`, `\(key)`. Without sigils. */
  readonly names: readonly string[];
}

const MAX_STATEMENT_CHARACTERS = 4_000;
const MAX_STATEMENT_LINES = 12;
const MAX_NAMES = 200;

/** It knows strings, comments, brackets and nothing else: what no two languages share is left as it is written. */
export function splitStatements(whole: string, file: string): readonly OtherStatement[] {
  const text = withoutManual(whole).replace(/^<\?(?:php|=)?/, (mark) => " ".repeat(mark.length));
  const comment = commentOf(file);
  const statements: OtherStatement[] = [];
  let open = new Builder(0);
  const end = (at: number): void => {
    if (!open.isEmpty) statements.push(open.build(at));
    open = new Builder(at);
  };
  const token = new RegExp(TOKEN);
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [word] = match;
    const at = match.index;
    if (word === "\n") {
      if (open.continues(text, at)) open.line();
      else end(at + 1);
    } else if (word === ";" && open.depth <= 0) end(at + 1);
    else if (word === "{" && open.opensBody) {
      end(at + 1);
    } else if (comment.test(word) && startsComment(text, at, word)) {
      const stop = text.indexOf("\n", at);
      token.lastIndex = stop === -1 ? text.length : stop;
    } else {
      open.add(word);
      if (at - open.from > MAX_STATEMENT_CHARACTERS) end(at + word.length);
    }
  }
  end(text.length);
  return statements;
}

/** Manuals that Perl and Ruby keep among the code, as blanks of the same length. */
function withoutManual(text: string): string {
  if (!/^=[a-z]/m.test(text) && !text.includes("__END__")) return text;
  const end = /^__END__$/m.exec(text)?.index ?? text.length;
  let isManual = false;
  const lines = text
    .slice(0, end)
    .split("\n")
    .map((line) => {
      const mark = /^=([a-z]\w*)/.exec(line)?.[1];
      const shown = isManual || mark !== undefined ? " ".repeat(line.length) : line;
      if (mark !== undefined) isManual = mark !== "cut" && mark !== "end";
      return shown;
    });
  return lines.join("\n");
}

const TOKEN =
  /"(?:[^"\\\n]|\\[^\n])*"?|'(?:[^'\\\n]|\\[^\n])*'?|`(?:[^`\\\n]|\\[^\n])*`?|[A-Za-z_]\w*|\d[\w.]*|\/\/|--|[^\S\n]+|[\s\S]/g;

/** Which sign begins a comment is said by the name of the file; `//` is an operator in Perl, `#` a length in Lua. */
function commentOf(file: string): RegExp {
  if (/\.(?:lua|applescript|hs|sql|elm|adb)$/i.test(file)) return /^--$/;
  if (/\.(?:rb|pl|pm|r|jl|exs?|awk|tcl|nim|cr|rake|gemspec|t)$/i.test(file)) return /^#$/;
  if (/\.php$/i.test(file)) return /^(?:#|\/\/)$/;
  return /^(?:#|\/\/|--)$/;
}

/** `#{x}` and `a -- b` are none; what begins a line always is one. */
function startsComment(text: string, at: number, sign: string): boolean {
  const window = text.slice(Math.max(0, at - 200), at);
  const before = window.slice(window.lastIndexOf("\n") + 1);
  if (before.trim() === "") return true;
  return sign === "//" ? !before.endsWith(":") : /\s$/.test(before) && text[at + sign.length] === " ";
}

class Builder {
  readonly from: number;
  depth = 0;
  #code = "";
  #lines = 0;
  #literals: string[] = [];
  #commands: string[] = [];
  #names = new Set<string>();
  /** Whether only a joining sign stands between the last string and here. */
  #joins: "ready" | "joined" | "no" = "no";

  constructor(from: number) {
    this.from = from;
  }

  get isEmpty(): boolean {
    return this.#code.trim() === "";
  }

  /** A brace after a closing bracket begins the body of a function or a branch. */
  get opensBody(): boolean {
    return /(?:\)|\b(?:else|do|try|BEGIN|END|loop|unsafe))\s*$/.test(this.#code.slice(-40));
  }

  line(): void {
    this.#lines++;
    this.#code += " ";
  }

  continues(text: string, at: number): boolean {
    if (this.isEmpty || this.#lines >= MAX_STATEMENT_LINES) return false;
    const tail = this.#code.slice(-40).trimEnd();
    // The body of a function that is handed over is statements of its own.
    if (/(?:\{|\bdo|\||=>|->)$/.test(tail)) return false;
    if (this.depth > 0 || /[,=+\\]$|(?:\.\.|&&|\|>)$/.test(tail)) return true;
    return /^[ \t]{0,80}(?:\.[A-Za-z]|->|\|>|&\.)/.test(text.slice(at + 1, at + 90));
  }

  add(word: string): void {
    const first = word[0] ?? "";
    if (first === '"' || first === "'") this.#string(word, first);
    else if (first === "`") {
      this.#commands.push(bodyOf(word, first));
      this.#takeIn(word);
      this.#code += "``";
    } else {
      if (first === "(" || first === "[") this.depth++;
      else if (first === ")" || first === "]") this.depth--;
      else if (/[A-Za-z_]/.test(first)) this.#name(word);
      if (/^(?:[+.&~]|<>)$/.test(word)) this.#joins = this.#joins === "no" ? "no" : "joined";
      else if (word.trim() !== "") this.#joins = "no";
      this.#code += word;
    }
  }

  build(to: number): OtherStatement {
    return {
      from: this.from,
      to,
      code: this.#code,
      literals: this.#literals,
      commands: this.#commands,
      names: [...this.#names],
    };
  }

  #string(word: string, quote: string): void {
    const body = bodyOf(word, quote);
    const last = this.#literals.at(-1);
    if (this.#joins === "joined" && last !== undefined)
      this.#literals[this.#literals.length - 1] = last + body;
    else this.#literals.push(body);
    this.#joins = "ready";
    this.#takeIn(word);
    this.#code += quote + quote;
  }

  #takeIn(text: string): void {
    if (!/[$#\\]/.test(text)) return;
    for (const [, name = ""] of text.matchAll(/(?:#\{|\$\{?|\{\$|\\\()\s{0,4}([A-Za-z_]\w{0,80})/g))
      this.#name(name);
  }

  #name(name: string): void {
    if (this.#names.size < MAX_NAMES) this.#names.add(name);
  }
}

function bodyOf(word: string, quote: string): string {
  return readEscapes(word.slice(1, word.length > 1 && word.endsWith(quote) ? -1 : undefined));
}
