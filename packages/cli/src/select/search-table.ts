import { displayWidth } from "../ui/display-width.ts";
import { pad, wrap } from "../ui/fit-text.ts";
import type { Layout } from "../ui/layout.ts";
import { stripControl } from "../ui/strip-control.ts";
import type { Colours } from "../ui/terminal.ts";
import type { SearchResult } from "./search-results.ts";

// Wider lines are hard to read, and the scores would stand far from the names.
const MAX_WIDTH = 100;
const BAR_COLUMNS = 10;
const SCORE_COLUMNS = 5;
const MAX_NAME_COLUMNS = 40;
const MAX_NAME_LINES = 4;
const DESCRIPTION_LINES: Readonly<Record<SearchResult["decision"], number>> = {
  activate: 2,
  suggest: 2,
  // What would not be used is there to compare with.
  nothing: 1,
};
const REASON_LINES = 3;
const SHORT_CHARACTERS = 1_000;
const INDENT = "  ";

/** What was found, the best first: mark, name, score and decision, then what the skill says and why it was found. */
export function searchTable(results: readonly SearchResult[], layout: Layout): string[] {
  const width = Math.min(layout.width, MAX_WIDTH);
  const names = results.map(({ qualifiedName }) => displayWidth(stripControl(qualifiedName)));
  // One very long name must not push the scores of all others off the screen.
  const column = Math.max(0, ...names.filter((columns) => columns <= MAX_NAME_COLUMNS));
  return results.flatMap((result, index) => [
    ...(index > 0 ? [""] : []),
    ...titleLines(result, { column, width, colours: layout.colours }),
    ...bodyLines(result, width, layout.colours),
  ]);
}

function titleLines(
  { qualifiedName, score, decision }: SearchResult,
  { column, width, colours }: { readonly column: number; readonly width: number; readonly colours: Colours },
): string[] {
  const name = stripControl(qualifiedName);
  const percent = `${Math.round(score * 100)} %`.padStart(SCORE_COLUMNS);
  const filled = Math.round(score * BAR_COLUMNS);
  const bar = "█".repeat(filled) + colours.dim("░".repeat(BAR_COLUMNS - filled));
  const { mark, words, paint } = DECISIONS[decision];
  const facts = `${bar} ${percent}  ${paint(colours)(words)}`;
  const factsWidth = BAR_COLUMNS + 1 + SCORE_COLUMNS + 2 + words.length;
  const head = `${paint(colours)(mark)} `;
  if (displayWidth(name) <= column && 2 + column + 2 + factsWidth <= width)
    return [`${head}${colours.bold(pad(name, column))}  ${facts}`];
  // Names are what people type, so they stay whole, and the rest goes below.
  const [first = "", ...rest] = wrap(name, { width: width - 2, maxLines: MAX_NAME_LINES });
  const below = 2 + factsWidth <= width ? facts : `${percent.trimStart()}  ${paint(colours)(words)}`;
  return [
    `${head}${colours.bold(first)}`,
    ...rest.map((line) => `${INDENT}${colours.bold(line)}`),
    `${INDENT}${below}`,
  ];
}

const DECISIONS: Readonly<
  Record<
    SearchResult["decision"],
    {
      readonly mark: string;
      readonly words: string;
      readonly paint: (colours: Colours) => (text: string) => string;
    }
  >
> = {
  activate: { mark: "✓", words: "activate", paint: ({ green }) => green },
  suggest: { mark: "?", words: "suggest", paint: ({ yellow }) => yellow },
  nothing: { mark: "○", words: "nothing", paint: ({ dim }) => dim },
};

function bodyLines(
  { description, reasons, decision }: SearchResult,
  width: number,
  colours: Colours,
): string[] {
  const room = width - INDENT.length;
  // Far more than fits; descriptions may be as long as a file.
  const text = stripControl(description.slice(0, SHORT_CHARACTERS));
  const why = stripControl(reasons.join("; ").slice(0, SHORT_CHARACTERS));
  return [
    ...wrap(text, { width: room, maxLines: DESCRIPTION_LINES[decision] }).map((line) => INDENT + line),
    ...wrap(why, { width: room, maxLines: REASON_LINES }).map((line) => INDENT + colours.dim(line)),
  ];
}
