import { HIDDEN } from "@skillet/kit/text";

/** Longer commands are not judged: people do not read them, and the parser is slow on some. */
export const MAX_COMMAND_BYTES = 4096;
/** The parser's time grows with the square of what is open at once; people nest a handful. */
const MAX_OPENERS = 100;

/** Why a command is not even parsed, or undefined when it may be. */
export function checkShellText(text: string): string | undefined {
  if (text.length > MAX_COMMAND_BYTES || Buffer.byteLength(text) > MAX_COMMAND_BYTES)
    return "it is longer than 4 KiB";
  if (text.trim() === "") return "it is empty";
  const odd = /^[\n\t -~]*$/.test(text) ? null : new RegExp(UNSEEN, "u").exec(text);
  if (odd !== null) {
    const code = (odd[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    return `it holds the invisible character U+${code}`;
  }
  if ((text.match(OPENERS)?.length ?? 0) > MAX_OPENERS) return "it nests too much";
  if (CONTINUED_WORD.test(text)) return "a word goes on in the next line";
  // zsh drops it, others keep it.
  if (/(?<!\\)(?:\\\\)*\\$/.test(text)) return "it ends in a backslash";
  if ((text.match(HERE_DOCUMENTS)?.length ?? 0) > 1) return "it has several here-documents";
  if (AMBIGUOUS.test(text)) return "shells read its brackets in different ways";
  if (hasHistoryExpansion(text)) return "it may hold a history expansion (`!`)";
  return undefined;
}

// A person must see what runs, and shells differ on these. Classes of Unicode take a millisecond to prepare.
const UNSEEN = `(?![ \\n\\t])[${HIDDEN}\\p{Z}]`;
// Shells join the lines before they see operators, `$` and a parenthesis say; between words there is nothing to join.
const CONTINUED_WORD = /(?<![ \t])\\\n/;
// Old arithmetic, an index for zsh only, and arithmetic that may be two subshells.
const AMBIGUOUS = /\$\w*\[|(?<!\$)\(\(/;
// Where two of them end, shells disagree.
const HERE_DOCUMENTS = /(?<!<)<<(?!<)/g;
const OPENERS = /[({[`]|<</g;

// Interactive shells expand these before they parse, and not all of them know of quotes that span lines or of `$'`.
function hasHistoryExpansion(text: string): boolean {
  if (/^\^/m.test(text)) return true;
  const isPlain = !text.includes("\n") && !text.includes("$'");
  let quote: "'" | '"' | undefined;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === "\\" && quote !== "'") index += 1;
    else if (character === "'" && quote !== '"') quote = quote === "'" ? undefined : "'";
    else if (character === '"' && quote !== "'") quote = quote === '"' ? undefined : '"';
    else if (character === "!" && !(quote === "'" && isPlain) && expands(text[index + 1], quote)) return true;
  }
  return false;
}

function expands(next: string | undefined, quote: "'" | '"' | undefined): boolean {
  if (next === undefined || /[\s=]/.test(next)) return false;
  return !(next === '"' && quote === '"');
}
