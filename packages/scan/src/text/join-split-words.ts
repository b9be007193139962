import type { SourceText } from "./source-text.ts";

/** A text with words joined that a line continuation or single blanks between letters take apart; undefined where there are none. Lines keep their numbers. */
export function joinSplitWords({ text, language }: SourceText): string | undefined {
  // Programs join continuations by their own rules, and so do their parsers.
  if (!PROSE.test(language)) return undefined;
  const continued = joinContinuations(text);
  return joinLetters(continued ?? text) ?? continued;
}

const PROSE = /^(?:markdown|text|html)$/;
const CONTINUED = /[A-Za-z]\\\r?\n[a-z]/;
const CONTINUATION = /\\\r?\n/g;

function joinContinuations(text: string): string | undefined {
  if (!text.includes("\\\n") && !text.includes("\\\r\n")) return undefined;
  if (!CONTINUED.test(text)) return undefined;
  // The line feeds move to the end of the joined line, so that what follows keeps its number.
  const parts = text.split(CONTINUATION);
  let joined = parts[0] ?? "";
  let owed = 0;
  for (const part of parts.slice(1)) {
    owed++;
    const end = part.indexOf("\n");
    if (end === -1) joined += part;
    else {
      joined += part.slice(0, end) + "\n".repeat(owed) + part.slice(end);
      owed = 0;
    }
  }
  return joined;
}

// What stands before is looked at last: few letters are followed by a mark and a letter, and a mark again.
const SPACED =
  /[A-Za-z]([ .\-_*·])[A-Za-z]\1(?<![A-Za-z]{2}.[A-Za-z].)[A-Za-z](?:\1[A-Za-z]){3,}(?![A-Za-z])/;
const SPACED_WORDS = /(?<![A-Za-z])[A-Za-z]([ .\-_*·])[A-Za-z](?:\1[A-Za-z])+(?![A-Za-z])/g;

// `i g n o r e  a l l`: letters apart by one mark, words by more.
function joinLetters(text: string): string | undefined {
  if (!SPACED.test(text)) return undefined;
  return text.replace(SPACED_WORDS, (run, mark: string) => run.split(mark).join(""));
}
