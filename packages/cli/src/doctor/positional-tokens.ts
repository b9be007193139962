/** A place in a body where an argument would be put in. */
export interface PositionalToken {
  readonly token: string;
  /** Both count from 1, within the text given. */
  readonly line: number;
  readonly column: number;
}

// Prices and shell or awk code look like these. An odd number of backslashes before the sign escapes it.
const POSITIONAL = /(?<!\\)(?:\\\\)*(\$(?:ARGUMENTS\[\d+\]|\d+))/g;

/** Every `$N` and `$ARGUMENTS[N]` that would be replaced when a skill is called with arguments, one by one. */
export function* findPositionalTokens(text: string): Generator<PositionalToken> {
  let line = 0;
  for (const content of text.split(/\r\n|\n|\r/)) {
    line += 1;
    for (const match of content.matchAll(POSITIONAL)) {
      const [whole, token = ""] = match;
      yield { token, line, column: match.index + whole.length - token.length + 1 };
    }
  }
}
