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

/** Breaks a text into lines of at most so many columns; with `maxLines`, the last line says when there is more. */
export function wrap(
  text: string,
  options: { readonly width: number; readonly maxLines?: number },
): string[] {
  const width = Math.max(2, options.width);
  const maxLines = options.maxLines ?? Number.POSITIVE_INFINITY;
  const lines: string[] = [];
  let start = 0;
  let used = 0;
  let word = { index: 0, used: 0 };
  // One pass over the text: descriptions may be as long as a file may be.
  for (const { segment, index } of graphemes(text)) {
    const columns = graphemeWidth(segment);
    if (segment === " ") {
      word = { index: index + 1, used: used + 1 };
    } else if (used + columns > width) {
      if (lines.length + 1 >= maxLines)
        return [...lines, truncateAtWord(text.slice(start).trimStart(), width)];
      const breaksAtWord = word.index > start;
      const end = breaksAtWord ? word.index : index;
      lines.push(text.slice(start, end).trimEnd());
      used = breaksAtWord ? used - word.used : 0;
      start = end;
    }
    used += columns;
  }
  const last = text.slice(start).trimEnd();
  return last === "" ? lines : [...lines, last];
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
