export interface Piece {
  readonly text: string;
  readonly pos: number;
  readonly end: number;
}

/** One unclosed bracket must not swallow the whole script. */
const MAX_STATEMENT_CHARACTERS = 64 * 1024;

/** The statements of a PowerShell script, including those inside blocks. */
export function splitStatements(text: string): readonly Piece[] {
  return splitOutside(text, "\n;{}");
}

/** The pieces between characters that are outside strings, comments and brackets. */
export function splitOutside(text: string, ends: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let start = 0;
  let depth = 0;
  const close = (end: number): void => {
    if (end > start && text.slice(start, end).trim() !== "")
      pieces.push({ text: text.slice(start, end), pos: start, end });
    start = end + 1;
  };
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === "`") at++;
    else if (character === "'" || character === '"') at = skipString(text, at, character) - 1;
    else if (character === "#" && /^[\s;{}(]?$/.test(text.charAt(at - 1))) {
      const end = text.indexOf("\n", at);
      close(at);
      start = end === -1 ? text.length : end;
      at = start - 1;
    } else {
      depth = Math.max(0, depth + (BRACKETS.get(character) ?? 0));
      const isTooLong = character === "\n" && at - start > MAX_STATEMENT_CHARACTERS;
      if (!isTooLong && (depth > 0 || !ends.includes(character))) continue;
      close(at);
      depth = 0;
    }
  }
  close(text.length);
  return pieces;
}

const BRACKETS: ReadonlyMap<string, number> = new Map([..."()[]"].map((one, at) => [one, at % 2 ? -1 : 1]));

/** The end of the bracket that opens at `open`; the end of the text if it is not closed. */
export function closingOf(text: string, open: number): number {
  const [begin, end] = text[open] === "{" ? "{}" : "()";
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === "`") at++;
    else if (character === "'" || character === '"') at = skipString(text, at, character) - 1;
    else if (character === begin) depth++;
    else if (character === end && --depth === 0) return at;
  }
  return text.length;
}

/** The position after the string. */
function skipString(text: string, at: number, quote: string): number {
  // A here-string ends at its mark at the start of a line.
  if (text.charAt(at - 1) === "@" && /[\r\n]/.test(text.charAt(at + 1))) {
    const end = text.indexOf(`\n${quote}@`, at);
    return end === -1 ? text.length : end + 3;
  }
  for (let end = at + 1; end < text.length; end++) {
    const character = text.charAt(end);
    if (character === quote) return end + 1;
    if (character === "`" && quote === '"') end++;
  }
  return text.length;
}
