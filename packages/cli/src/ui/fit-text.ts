import { displayWidth, graphemes, graphemeWidth } from "./display-width.ts";

const ELLIPSIS = "…";

/** Cuts a text to so many columns, between user-perceived characters, with an ellipsis where something is gone. */
export function truncate(text: string, width: number): string {
  if (width <= 0) return "";
  let used = 0;
  let keep = 0;
  for (const { segment, index } of graphemes(text)) {
    used += graphemeWidth(segment);
    if (used > width) return `${text.slice(0, keep).trimEnd()}${ELLIPSIS}`;
    if (used < width) keep = index + segment.length;
  }
  return text;
}

/** Cuts a text to so many columns from its start, because the end of a path says more than its beginning. */
export function truncateStart(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  const parts = [...graphemes(text)];
  let used = 1;
  let start = text.length;
  for (const { segment, index } of parts.reverse()) {
    used += graphemeWidth(segment);
    if (used > width) break;
    start = index;
  }
  return width <= 0 ? "" : `${ELLIPSIS}${text.slice(start)}`;
}

/**
 * Breaks a text into lines of at most so many columns; with `maxLines`, the last line says when there is more.
 *
 * A word that is longer than a line is mostly a path or a name: it is broken behind a slash, else behind a hyphen, and
 * only else anywhere.
 */
export function wrap(
  text: string,
  options: { readonly width: number; readonly maxLines?: number },
): string[] {
  const width = Math.max(2, options.width);
  const maxLines = options.maxLines ?? Number.POSITIVE_INFINITY;
  const lines: string[] = [];
  let start = 0;
  let used = 0;
  let word: Break = { index: 0, used: 0 };
  let [slash, hyphen] = [word, word];
  // One pass over the text: descriptions may be as long as a file may be.
  for (const { segment, index } of graphemes(text)) {
    const columns = graphemeWidth(segment);
    if (segment === " ") word = { index: index + 1, used: used + 1 };
    // More than once where a wide character follows what was carried over.
    while (segment !== " " && used + columns > width) {
      if (lines.length + 1 >= maxLines)
        return [...lines, truncateAtWord(text.slice(start).trimStart(), width)];
      const end = [word, slash, hyphen].find((place) => place.index > start) ?? { index, used };
      lines.push(text.slice(start, end.index).trimEnd());
      [slash, hyphen] = [moveLeft(slash, end), moveLeft(hyphen, end)];
      used -= end.used;
      start = end.index;
    }
    used += columns;
    if (segment === "/") slash = { index: index + 1, used };
    else if (segment === "-") hyphen = { index: index + 1, used };
  }
  const last = text.slice(start).trimEnd();
  return last === "" ? lines : [...lines, last];
}

/** Where a line may end, and how many columns of it lie before that. */
interface Break {
  readonly index: number;
  readonly used: number;
}

function moveLeft(place: Break, end: Break): Break {
  return { index: place.index, used: place.used - end.used };
}

/** Fills a text with spaces up to so many columns. */
export function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - displayWidth(text)));
}

// A half word at the end of a paragraph is harder to read than a shorter line, unless the word is very long.
function truncateAtWord(text: string, width: number): string {
  const cut = truncate(text, width);
  const kept = cut.length - ELLIPSIS.length;
  const space = cut.lastIndexOf(" ");
  const insideWord = text.charAt(kept) !== " ";
  return insideWord && space > kept / 2 ? `${cut.slice(0, space).trimEnd()}${ELLIPSIS}` : cut;
}
