import type { Range } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";

/** A broken file can have thousands of faults; listing more than these does not help. */
const MAX_LISTED = 20;
const MAX_LINE_CHARACTERS = 160;

export interface ConfigProblem {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
  readonly hint: string;
}

export interface FoundProblem {
  readonly file: string;
  readonly text?: string;
  readonly range?: Range;
  readonly message: string;
  readonly hint: string;
}

export function configInvalid(
  found: readonly FoundProblem[],
  verb: "has" | "would have" = "has",
): SkilletError {
  const problems = found.slice(0, MAX_LISTED).map(({ file, range, message, hint }): ConfigProblem => {
    return { file, ...(range && { line: range.line, column: range.column }), message, hint };
  });
  const unlisted = found.length - problems.length;
  const blocks = found.slice(0, MAX_LISTED).map(formatProblem);
  if (unlisted > 0) blocks.push(`and ${unlisted} more`);
  const count = found.length === 1 ? "1 problem" : `${found.length} problems`;
  return new SkilletError("config-invalid", `The configuration ${verb} ${count}:\n\n${blocks.join("\n\n")}`, {
    data: { problems, unlisted },
  });
}

function formatProblem({ file, text, range, message, hint }: FoundProblem): string {
  const place = range === undefined ? file : `${file}:${range.line}:${range.column}`;
  return [`${place}: ${message}`, ...frame(text, range), `  hint: ${hint}`].join("\n");
}

function frame(text: string | undefined, range: Range | undefined): string[] {
  if (text === undefined || range === undefined) return [];
  // Terminals interpret control characters, and a config file may come from a repository.
  const line = (text.split(/\r\n|\n|\r/, range.line)[range.line - 1] ?? "").replace(/\p{Cc}/gu, " ");
  if (line.trim() === "" || range.column > MAX_LINE_CHARACTERS) return [];
  const shown = line.slice(0, MAX_LINE_CHARACTERS);
  const sameLine = range.endLine === undefined || range.endLine === range.line;
  const end = sameLine && range.endColumn !== undefined ? range.endColumn : shown.length + 1;
  const width = Math.max(1, Math.min(end, shown.length + 1) - range.column);
  const gutter = String(range.line);
  return [
    `  ${gutter} | ${shown}`,
    `  ${" ".repeat(gutter.length)} | ${" ".repeat(range.column - 1)}${"^".repeat(width)}`,
  ];
}
