import type { Range } from "@skillet/kit/diagnostics";
import { displayWidth } from "./display-width.ts";
import { truncate, truncateStart } from "./fit-text.ts";
import { showControl } from "./strip-control.ts";
import type { Colours } from "./terminal.ts";

// Lines of a hostile file may be a megabyte long; nobody reads more than a screen of one.
const MAX_LINE_CHARACTERS = 2000;
const CONTEXT_COLUMNS = 20;

interface FrameOptions {
  readonly width: number;
  readonly colours: Colours;
  readonly paint?: (text: string) => string;
}

/** The offending line of a file with a caret under the fault, cut to the width around it. */
export function codeFrame(text: string, range: Range, options: FrameOptions): string[] {
  const line = text.split(/\r\n|\n|\r/, range.line)[range.line - 1];
  return line === undefined ? [] : lineFrame(line, range, options);
}

/** The same for a line that is known already. */
export function lineFrame(line: string, range: Range, options: FrameOptions): string[] {
  const { colours, paint = colours.red } = options;
  const gutter = String(range.line);
  const frame = window(line, range, options.width - gutter.length - 5);
  const bar = colours.dim("|");
  return [
    `  ${colours.dim(gutter)} ${bar} ${frame.text}`.trimEnd(),
    `  ${" ".repeat(gutter.length)} ${bar} ${" ".repeat(frame.column)}${paint("^".padEnd(frame.length, "~"))}`,
  ];
}

interface Frame {
  readonly text: string;
  readonly column: number;
  readonly length: number;
}

function window(line: string, range: Range, width: number): Frame {
  const start = Math.min(Math.max(0, range.column - 1), line.length);
  const from = Math.max(0, start - MAX_LINE_CHARACTERS);
  const before = showControl(line.slice(from, start));
  const sameLine = range.endLine === undefined || range.endLine === range.line;
  const end = sameLine ? Math.min(line.length, (range.endColumn ?? range.column + 1) - 1) : line.length;
  const marked = showControl(line.slice(start, Math.min(end, start + MAX_LINE_CHARACTERS)));
  const after = showControl(line.slice(Math.max(start, end), Math.max(start, end) + MAX_LINE_CHARACTERS));
  const column = displayWidth(before);
  const room = Math.max(10, width);
  const visible = fitsFromStart(before, marked, after, room)
    ? before
    : truncateStart(before, CONTEXT_COLUMNS);
  const shift = column - displayWidth(visible);
  return {
    text: truncate(visible + marked + after, room),
    column: column - shift,
    length: Math.max(1, Math.min(displayWidth(marked), room - (column - shift))),
  };
}

function fitsFromStart(before: string, marked: string, after: string, room: number): boolean {
  const wanted = displayWidth(before) + Math.min(displayWidth(marked + after), CONTEXT_COLUMNS);
  return wanted <= room;
}
