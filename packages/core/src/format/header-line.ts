import { MAX_HEADER_DEPTH } from "./format-limits.ts";
import { isTooDeep, parseYaml } from "./parse-yaml.ts";

// White space here is what YAML means by it; String.trim would also take characters that belong to a value.

/** Where the content of a line begins, after its indentation and the dashes of list items. */
export function contentStart(line: string): number {
  let at = indentOf(line);
  while (line[at] === "-" && line[at + 1] === " ") {
    at += 2;
    while (line[at] === " ") at += 1;
  }
  return at;
}

export function indentOf(line: string): number {
  let indent = 0;
  while (line[indent] === " ") indent += 1;
  return indent;
}

/** Where the value of a key at `from` begins, or -1 if there is no key. */
export function findValue(line: string, from: number): number {
  const quote = line[from] ?? "";
  const isQuoted = quote === '"' || quote === "'";
  const close = isQuoted ? findClosingQuote(line, from + 1, quote) : from - 1;
  if (isQuoted && close === -1) return -1;
  const colon = findColon(line, close + 1);
  if (colon === -1 || (isQuoted ? !isBlank(line.slice(close + 1, colon)) : isBlank(line.slice(from, colon))))
    return -1;
  return skipWhite(line, colon + 1);
}

/** The first colon before white space or the end of the line, or -1. */
export function findColon(line: string, from: number): number {
  for (let colon = line.indexOf(":", from); colon !== -1; colon = line.indexOf(":", colon + 1)) {
    if (isWhite(line[colon + 1] ?? " ")) return colon;
  }
  return -1;
}

/** The quote that closes a scalar whose text begins at `from`, or -1. */
export function findClosingQuote(line: string, from: number, quote: string): number {
  for (let at = from; at < line.length; at += 1) {
    if (line[at] === "\\" && quote === '"') at += 1;
    else if (line[at] !== quote) continue;
    else if (quote === "'" && line[at + 1] === "'") at += 1;
    else return at;
  }
  return -1;
}

export function withoutComment(text: string): string {
  for (let hash = text.indexOf("#"); hash !== -1; hash = text.indexOf("#", hash + 1)) {
    if (hash === 0 || isWhite(text[hash - 1] ?? "")) return trimEnd(text.slice(0, hash));
  }
  return trimEnd(text);
}

export function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && isWhite(text[end - 1] ?? "")) end -= 1;
  return text.slice(0, end);
}

export function isBlank(text: string): boolean {
  return skipWhite(text, 0) === text.length;
}

export function isComment(line: string): boolean {
  return line[skipWhite(line, 0)] === "#";
}

function skipWhite(text: string, from: number): number {
  let at = from;
  while (at < text.length && isWhite(text[at] ?? "")) at += 1;
  return at;
}

function isWhite(character: string): boolean {
  return character === " " || character === "\t" || character === "\r";
}

export class BracketScan {
  /** The closing brackets that are still missing, outermost first. */
  readonly open: string[] = [];
  broken = false;
  private quote = "";
  // A quote inside a plain scalar, as in `what's`, is a letter like any other.
  private atScalarStart = true;
  private afterQuoted = false;

  /** Reads on; gives the offset after the bracket that closes the collection, or -1. */
  feed(text: string, from: number): number {
    for (let at = from; at < text.length && !this.broken; at += 1) {
      const character = text[at] ?? "";
      if (this.quote === "") this.readOutside(character, text[at + 1] ?? " ");
      else if (character === "\\" && this.quote === '"') at += 1;
      else if (character === this.quote) this.leaveQuotes();
      if (this.open.length === 0) return at + 1;
    }
    return -1;
  }

  get lacksOnlyBrackets(): boolean {
    return !this.broken && this.quote === "" && this.open.length > 0;
  }

  private leaveQuotes(): void {
    this.quote = "";
    this.afterQuoted = true;
  }

  private readOutside(character: string, next: string): void {
    if ((character === '"' || character === "'") && this.atScalarStart) this.quote = character;
    else if (character === "{") this.open.push("}");
    else if (character === "[") this.open.push("]");
    else if (character === "}" || character === "]") this.broken = this.open.pop() !== character;
    const isValueColon = character === ":" && (next === " " || this.afterQuoted);
    this.afterQuoted = false;
    if (isValueColon || "{[,".includes(character)) this.atScalarStart = true;
    else if (character !== " " && character !== "\t") this.atScalarStart = false;
  }
}

/** The text with its missing closing brackets, or undefined if those are not all it lacks. */
export function closeBrackets(text: string): string | undefined {
  const scan = new BracketScan();
  scan.feed(text, 0);
  return scan.lacksOnlyBrackets ? text + scan.open.toReversed().join("") : undefined;
}

export function parsesAlone(text: string): boolean {
  const parsed = parseYaml(text, { maxDepth: MAX_HEADER_DEPTH });
  return !isTooDeep(parsed) && parsed.document.errors.length === 0 && parsed.secondStart === undefined;
}
