import type { Diagnostic } from "@skillet/kit/diagnostics";
import { wrap } from "./fit-text.ts";
import type { Layout } from "./layout.ts";
import { showPath, showSentence } from "./show-path.ts";

const MAX_PATH_LINES = 4;
const MAX_TEXT_LINES = 3;
const INDENT = "      ";

/** A diagnostic in a list: the place, what is wrong there, and what to do about it. */
export function faultEntry(diagnostic: Diagnostic, layout: Layout): string[] {
  const { colours, width, environment } = layout;
  const { file, range, message, hint = "", severity } = diagnostic;
  const position = range === undefined ? "" : `:${range.line}:${range.column}`;
  const place = wrap(showPath(file, environment) + position, { width: width - 4, maxLines: MAX_PATH_LINES });
  const mark = severity === "error" ? colours.red("✗") : colours.yellow("!");
  const fit = (text: string): string[] =>
    wrap(showSentence(text, environment), { width: width - INDENT.length, maxLines: MAX_TEXT_LINES });
  return [
    ...place.map((line, index) => `  ${index === 0 ? mark : " "} ${line}`),
    ...fit(message).map((line) => INDENT + line),
    ...fit(hint).map((line) => INDENT + colours.dim(line)),
  ];
}
