/**
 * Splits folded prose into words, web and mail addresses: Chinese, Japanese and Korean by character, everything else by
 * word; `.env`, `claude.md` and `read-only` are one word each.
 */
export function readTokens(text: string): readonly string[] {
  const tokens = text.match(text.includes("@") ? TOKEN_OR_MAIL : TOKEN) ?? NO_TOKENS;
  return text.includes("’") ? tokens.map((token) => token.replaceAll("’", "'")) : tokens;
}

/** Whether a word is of a script without blanks, which comes by character. */
export function isByCharacter(word: string): boolean {
  return /^[\u3040-\u9fff\uac00-\ud7af]/.test(word);
}

const NO_TOKENS: readonly string[] = [];

const LETTER = String.raw`a-z0-9_\u00c0-\u1fff`;
const WORD =
  String.raw`(?:https?|hxxps?|ftp|smtps?|sftp):\/\/[^\s<>"'` +
  "`" +
  String.raw`)\]}\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef]+|[\u2e80-\u2fff\u3005-\u3007\u3040-\u9fff\uac00-\ud7af\uf900-\ufaff]|\.?[${LETTER}][${LETTER}'’]*(?:[.-][${LETTER}]+)*`;
const TOKEN = new RegExp(WORD, "g");
// A mail address is bounded, so that a long run of letters is not read again from each of them.
const TOKEN_OR_MAIL = new RegExp(
  String.raw`\b[a-z0-9._%+-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,4}|${WORD}`,
  "g",
);
