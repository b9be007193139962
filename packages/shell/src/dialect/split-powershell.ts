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
  return split(
    text,
    (character, depth) =>
      depth === 0 && (character === "\n" || character === ";" || character === "{" || character === "}"),
  );
}

/** The commands of one statement between its pipes. */
export function splitPipeline(text: string): readonly Piece[] {
  return split(text, (character, depth) => depth === 0 && character === "|");
}

/** The operands of `+`, or the arguments between commas. */
export function splitOperands(text: string, operator: "+" | ","): readonly Piece[] {
  return split(text, (character, depth) => depth === 0 && character === operator);
}

export function splitWords(text: string): readonly string[] {
  return split(
    text,
    (character, depth) => depth === 0 && (character === " " || character === "\t" || character === "\n"),
  )
    .map((piece) => piece.text.trim())
    .filter((word) => word !== "");
}

function split(text: string, isEnd: (character: string, depth: number) => boolean): readonly Piece[] {
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
    if (
      character === "#" &&
      (at === 0 || /[\s;{}(]/.test(text.charAt(at - 1))) &&
      text.charAt(at - 1) !== "<"
    ) {
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
    if (isEnd(character, depth) || (character === "\n" && at - start > MAX_STATEMENT_CHARACTERS)) {
      close(at);
      depth = 0;
    }
    at++;
  }
  close(text.length);
  return pieces;
}

function skipString(text: string, at: number, quote: string): number {
  // A here-string goes to its mark at the start of a line.
  if (text.charAt(at - 1) === "@" && /[\r\n]/.test(text.charAt(at + 1))) {
    const end = text.indexOf(`\n${quote}@`, at);
    return end === -1 ? text.length : end + 3;
  }
  const end = text.indexOf(quote, at + 1);
  return end === -1 ? text.length : end + 1;
}
