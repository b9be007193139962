/** A piece of a script and where it stands. */
export interface Piece {
  readonly text: string;
  readonly pos: number;
  readonly end: number;
}

/** One bracket that is never closed must not swallow the script. */
const MAX_STATEMENT_CHARACTERS = 64 * 1024;

/** The statements of a PowerShell script; a block's own come one by one. */
export function splitStatements(text: string): readonly Piece[] {
  return splitOutside(text, "\n;{}");
}

export function splitWords(text: string): readonly string[] {
  return splitOutside(text, " \t\n").map((piece) => piece.text.trim());
}

/** The pieces between characters that stand outside of strings, comments and brackets. */
export function splitOutside(text: string, ends: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let start = 0;
  let depth = 0;
  let at = 0;
  const close = (end: number): void => {
    if (end > start && text.slice(start, end).trim() !== "")
      pieces.push({ text: text.slice(start, end), pos: start, end });
    start = end + 1;
  };
  while (at < text.length) {
    const character = text.charAt(at);
    if (character === "`") {
      at += 2;
      continue;
    }
    if (character === "#" && (at === 0 || /[\s;{}(]/.test(text.charAt(at - 1)))) {
      const end = text.indexOf("\n", at);
      close(at);
      at = end === -1 ? text.length : end;
      start = at;
      continue;
    }
    if (character === "'" || character === '"') {
      at = skipString(text, at, character);
      continue;
    }
    if (character === "(" || character === "[") depth++;
    else if (character === ")" || character === "]") depth = Math.max(0, depth - 1);
    if (
      (depth === 0 && ends.includes(character)) ||
      (character === "\n" && at - start > MAX_STATEMENT_CHARACTERS)
    ) {
      close(at);
      depth = 0;
    }
    at++;
  }
  close(text.length);
  return pieces;
}

/** Where what follows the string begins. */
export function skipString(text: string, at: number, quote: string): number {
  // A here-string goes to its mark at the start of a line.
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
