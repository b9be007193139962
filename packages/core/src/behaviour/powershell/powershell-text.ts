import { type Argument, exact, joinArguments, UNKNOWN } from "../command/argument.ts";
import type { CommandScope } from "../command/command-scope.ts";
import type { ProgramOutput } from "../command/program-call.ts";

/** One statement: its words, what ends it, and the variable that it sets. */
interface PowershellStatement {
  readonly words: readonly Argument[];
  readonly end: "next" | "piped" | "closed" | "end";
  readonly variable?: string;
}

/** A text for PowerShell that is read word by word. */
export class PowershellText {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The next statement; what stands in parentheses is read by the function given. */
  statement(scope: CommandScope, readInner: () => ProgramOutput): PowershellStatement {
    const words: Argument[] = [];
    const variable = this.#take(/\$(?:env:)?(\w+)\s*=(?!=)/iy)?.[1];
    const set = variable === undefined ? {} : { variable };
    for (;;) {
      this.#take(/(?:[^\S\n]|`\r?\n|#[^\n]*)+/y);
      if (this.#at >= this.#text.length) return { words, end: "end", ...set };
      const operator = this.#take(/\|\||&&|[;\n|)}]/y)?.[0];
      if (operator !== undefined) return { words, end: ENDS.get(operator) ?? "next", ...set };
      // The call operator, and braces of blocks, whose statements run in their place.
      if (this.#take(/&(?=[\s"'$({.]|\w)/y) !== undefined) continue;
      if (this.#take(/\{/y) !== undefined) return { words, end: "next", ...set };
      if (this.#take(/[$@]?\(/y) !== undefined) {
        const { lines } = readInner();
        words.push(lines.length === 1 ? (lines[0] ?? UNKNOWN) : UNKNOWN);
        continue;
      }
      words.push(this.#word(scope));
    }
  }

  #word(scope: CommandScope): Argument {
    let word: Argument = { kind: "exact", text: "" };
    for (;;) {
      const part = this.#part(scope);
      if (part === undefined) return word;
      word = joinArguments(word, part);
    }
  }

  #part(scope: CommandScope): Argument | undefined {
    const single = this.#take(/'((?:[^']|'')*)'?/y);
    if (single !== undefined) return exact((single[1] ?? "").replaceAll("''", "'"));
    const double = this.#take(/"((?:[^"`]|`[\s\S]|"")*)"?/y);
    if (double !== undefined) return interpolate(double[1] ?? "", scope);
    const variable = this.#take(VARIABLE);
    if (variable !== undefined) return variableValue(variable, scope);
    if (/~(?=[\\/\s;|)]|$)/y.test(this.#text.slice(this.#at, this.#at + 2)) && this.#startsWord()) {
      this.#at += 1;
      return exact(scope.home);
    }
    const plain = this.#take(/[^\s'"`$;|(){}&,]+|[$`&,]/y)?.[0];
    if (plain === undefined) return undefined;
    return /[*?]/.test(plain) ? { kind: "pattern", text: withSlashes(plain) } : exact(withSlashes(plain));
  }

  #startsWord(): boolean {
    return this.#at === 0 || /[\s(;|]/.test(this.#text[this.#at - 1] ?? "");
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null || found[0] === "") return undefined;
    this.#at = pattern.lastIndex;
    return found;
  }
}

const ENDS: ReadonlyMap<string, PowershellStatement["end"]> = new Map([
  ["|", "piped"],
  [")", "closed"],
]);
const VARIABLE = /\$(?:\{(?:env:)?(\w+)\}|(?:env:)?(\w+))/iy;

// Both separate parts of a path there; the name of a server keeps its beginning.
function withSlashes(text: string): string {
  return text.replace(/(?<!^\\?)\\|^\\(?!\\)/g, "/");
}

function interpolate(text: string, scope: CommandScope): Argument {
  let word = exact("");
  let from = 0;
  for (const found of text.matchAll(new RegExp(VARIABLE.source, "gi"))) {
    word = joinArguments(word, exact(unescapeText(text.slice(from, found.index))));
    word = joinArguments(word, variableValue(found, scope));
    from = found.index + found[0].length;
  }
  return joinArguments(word, exact(unescapeText(text.slice(from))));
}

function unescapeText(text: string): string {
  return withSlashes(text.replace(/`([\s\S])/g, "$1").replaceAll('""', '"'));
}

function variableValue(found: RegExpExecArray | RegExpMatchArray, scope: CommandScope): Argument {
  const name = found[1] ?? found[2] ?? "";
  const value = scope.variable(/^(?:home|pwd)$/i.test(name) ? name.toUpperCase() : name);
  return value.kind === "exact" ? exact(withSlashes(value.text)) : value;
}
