/** A place in a body where an argument would be put in. */
export interface PositionalToken {
  readonly token: string;
  /** Both count from 1, within the text given. */
  readonly line: number;
  readonly column: number;
}

// Prices and shell or awk code look like these. An odd number of backslashes before the sign escapes it.
const POSITIONAL = /(?<!\\)(?:\\\\)*(\$(?:ARGUMENTS\[\d+\]|\d+))/g;

/** Every `$N` and `$ARGUMENTS[N]` that would be replaced when a skill is called with arguments. */
export function findPositionalTokens(text: string): readonly PositionalToken[] {
  return text.split(/\r\n|\n|\r/).flatMap((line, index) =>
    [...line.matchAll(POSITIONAL)].map((match) => ({
      token: match[1] ?? "",
      line: index + 1,
      column: match.index + match[0].length - (match[1] ?? "").length + 1,
    })),
  );
}
