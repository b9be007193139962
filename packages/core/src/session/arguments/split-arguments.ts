/**
 * Splits an argument string as a shell would: blanks separate, quotes and backslashes keep together.
 *
 * A quote that is not closed reaches to the end: a person who types `it's` means one word.
 */
export function splitArguments(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === "\\" && quote !== "'" && at + 1 < text.length) {
      const next = text.charAt(++at);
      // Inside double quotes a backslash is one, unless it stands before a character that it can quote.
      word = (word ?? "") + (quote === '"' && !ESCAPED_IN_QUOTES.includes(next) ? `\\${next}` : next);
    } else if (quote !== "") {
      if (character === quote) quote = "";
      else word = (word ?? "") + character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= "";
    } else if (BLANK.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + character;
  }
  if (word !== undefined) words.push(word);
  return words;
}

const BLANK = /\s/;
const ESCAPED_IN_QUOTES = '"\\$`';
