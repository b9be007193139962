import type { Diagnostic, Range, Severity } from "@skillet/kit/diagnostics";
import type { Colours, Layout } from "./terminal.ts";
import {
  displayWidth,
  showControl,
  showPath,
  showSentence,
  stripControl,
  truncate,
  truncateStart,
  wrap,
} from "./text.ts";

// Messages quote the skill, whose names may be as long as its file.
const MAX_MESSAGE_COLUMNS = 400;

/** Where a diagnostic is shown, what its file is called there, and the file's text where it is known. */
interface DiagnosticLayout extends Layout {
  readonly file: string;
  readonly text?: string;
}

/** A diagnostic as compilers print it: place, code and message on one line, the line itself, and what to do. */
export function diagnosticReport(
  diagnostic: Diagnostic,
  options: DiagnosticLayout & { readonly lineWidth: number },
): string[] {
  const { colours, lineWidth } = options;
  const { severity, range } = diagnostic;
  const place = `${showControl(options.file)}${range === undefined ? "" : `:${range.line}:${range.column}`}:`;
  const code = stripControl(diagnostic.code);
  const message = truncate(stripControl(diagnostic.message), MAX_MESSAGE_COLUMNS);
  const kind = `${severityColour(severity, colours)(severity)} ${colours.dim(code)}:`;
  const title = `${place} ${severity} ${code}:`;
  const fits = displayWidth(`${title} ${message}`) <= lineWidth;
  const heading =
    displayWidth(title) <= lineWidth
      ? [`${colours.bold(place)} ${kind}`]
      : [...wrap(place, { width: lineWidth }).map((line) => colours.bold(line)), `  ${kind}`];
  return [
    ...(fits
      ? [`${colours.bold(place)} ${kind} ${message}`]
      : [...heading, ...wrap(message, { width: lineWidth - 2 }).map((line) => `  ${line}`)]),
    ...evidence(diagnostic, options),
  ];
}

/** The same, for reading instead of for editors: no line is longer than the screen is wide. */
export function diagnosticBlock(diagnostic: Diagnostic, options: DiagnosticLayout): string[] {
  const { colours, width } = options;
  const { severity, code, message, range } = diagnostic;
  const position = range === undefined ? "" : `:${range.line}:${range.column}`;
  const place = `${showControl(options.file)}${position}`;
  const title = `${severityColour(severity, colours)(severity)} ${stripControl(code)}`;
  const fits = displayWidth(`${severity} ${stripControl(code)}  ${place}`) <= width;
  return [
    ...(fits
      ? [`${title}  ${colours.dim(place)}`]
      : [title, ...wrap(place, { width: width - 2, maxLines: 4 }).map((line) => `  ${colours.dim(line)}`)]),
    ...wrap(showSentence(message, options.environment), { width: width - 2, maxLines: 6 }).map(
      (line) => `  ${line}`,
    ),
    ...evidence(diagnostic, options),
  ];
}

function evidence({ severity, range, hint }: Diagnostic, options: DiagnosticLayout): string[] {
  const { colours, width, text } = options;
  const paint = severityColour(severity, colours);
  return [
    ...(range !== undefined && text !== undefined ? codeFrame(text, range, { width, colours, paint }) : []),
    ...(hint === undefined ? [] : hintLines(hint, width, colours)),
  ];
}

function hintLines(hint: string, width: number, colours: Colours): string[] {
  const lines = wrap(stripControl(hint), { width: width - 8, maxLines: 6 });
  return lines.map((line, index) => `  ${index === 0 ? colours.cyan("hint:") : "     "} ${line}`);
}

function severityColour(severity: Severity, colours: Colours): (text: string) => string {
  if (severity === "error") return colours.red;
  return severity === "warning" ? colours.yellow : colours.cyan;
}

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

/** Every diagnostic, with the line it is about where the text of its file is known. */
export function diagnosticSection(
  diagnostics: readonly Diagnostic[],
  options: Layout & { readonly texts: ReadonlyMap<string, string> },
): string[] {
  if (diagnostics.length === 0) return [];
  const lines = diagnostics.flatMap((diagnostic) => {
    const text = options.texts.get(diagnostic.file);
    return diagnosticBlock(diagnostic, {
      ...options,
      width: options.width - 2,
      file: showPath(diagnostic.file, options.environment),
      ...(text !== undefined && { text }),
    }).map((line) => `  ${line}`);
  });
  return [options.colours.bold("Diagnostics"), ...lines];
}
