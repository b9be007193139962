import type { Diagnostic, Range, Severity } from "@skillet/kit/diagnostics";
import type { Colours, Layout } from "./terminal.ts";
import {
  displayWidth,
  hang,
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

interface DiagnosticLayout extends Layout {
  readonly file: string;
  readonly text?: string;
}

export function diagnosticReport(
  diagnostic: Diagnostic,
  options: DiagnosticLayout & { readonly lineWidth: number },
): string[] {
  const { severity, range, code, message } = diagnostic;
  return [
    ...compilerLines(
      {
        place: `${showControl(options.file)}${positionOf(range)}:`,
        severity,
        code: stripControl(code),
        message: truncate(stripControl(message), MAX_MESSAGE_COLUMNS),
        paint: severityColour(severity, options.colours),
      },
      { ...options, width: options.lineWidth },
    ),
    ...evidence(diagnostic, options),
  ];
}

export function compilerLines(
  fault: {
    readonly place: string;
    readonly severity: string;
    readonly code: string;
    readonly message: string;
    readonly paint: (text: string) => string;
    readonly maxLines?: number;
  },
  /** `width` also applies to lines that programs read; messages wrap at `messageWidth` if that is less. */
  layout: Pick<Layout, "colours" | "width"> & { readonly messageWidth?: number },
): string[] {
  const { place, severity, code, message, paint, maxLines } = fault;
  const { colours, width, messageWidth = width } = layout;
  const title = `${place} ${severity} ${code}:`;
  const kind = `${paint(severity)} ${colours.dim(`${code}:`)}`;
  if (displayWidth(`${title} ${message}`) <= width) return [`${colours.bold(place)} ${kind} ${message}`];
  const heading =
    displayWidth(title) <= width
      ? [`${colours.bold(place)} ${kind}`]
      : [...wrap(place, { width }).map((line) => colours.bold(line)), `  ${kind}`];
  const options = { width: messageWidth - 2, ...(maxLines !== undefined && { maxLines }) };
  return [...heading, ...wrap(message, options).map((line) => `  ${line}`)];
}

/** The same as a report, but for reading instead of for editors: no line is wider than the screen. */
export function diagnosticBlock(diagnostic: Diagnostic, options: DiagnosticLayout): string[] {
  const { colours, width } = options;
  const { severity, message, range } = diagnostic;
  const code = stripControl(diagnostic.code);
  const place = `${showControl(options.file)}${positionOf(range)}`;
  const title = `${severityColour(severity, colours)(severity)} ${code}`;
  return [
    ...(displayWidth(`${severity} ${code}  ${place}`) <= width
      ? [`${title}  ${colours.dim(place)}`]
      : [title, ...wrap(place, { width: width - 2, maxLines: 4 }).map((line) => `  ${colours.dim(line)}`)]),
    ...hang(showSentence(message, options.environment), options, { indent: 2, maxLines: 6 }),
    ...evidence(diagnostic, options),
  ];
}

function positionOf(range: Range | undefined): string {
  return range === undefined ? "" : `:${range.line}:${range.column}`;
}

function evidence({ severity, range, hint = "" }: Diagnostic, options: DiagnosticLayout): string[] {
  const { colours, width, text } = options;
  const paint = severityColour(severity, colours);
  return [
    ...(range !== undefined && text !== undefined ? codeFrame(text, range, { width, colours, paint }) : []),
    ...hang(hint, options, { indent: 8, lead: `  ${colours.cyan("hint:")} `, maxLines: 6 }),
  ];
}

function severityColour(severity: Severity, colours: Colours): (text: string) => string {
  if (severity === "error") return colours.red;
  return severity === "warning" ? colours.yellow : colours.cyan;
}

// Lines of a hostile file may be a megabyte long; more than a screenful is useless.
const MAX_LINE_CHARACTERS = 2000;
const CONTEXT_COLUMNS = 20;
const MAX_MARKED_LINES = 4;

interface FrameOptions {
  readonly width: number;
  readonly colours: Colours;
  readonly paint?: (text: string) => string;
}

export function codeFrame(text: string, range: Range, options: FrameOptions): string[] {
  const line = text.split(/\r\n|\n|\r/, range.line)[range.line - 1];
  return line === undefined ? [] : lineFrame(line, range, options);
}

export function lineFrame(line: string, range: Range, options: FrameOptions): string[] {
  const { colours, paint = colours.red } = options;
  const gutter = String(range.line);
  const bar = colours.dim("|");
  const blank = " ".repeat(gutter.length);
  return windows(line, range, options.width - gutter.length - 5).flatMap(
    ({ text, column, length }, index) => [
      `  ${index === 0 ? colours.dim(gutter) : blank} ${bar} ${text}`.trimEnd(),
      `  ${blank} ${bar} ${" ".repeat(column)}${paint((index === 0 ? "^" : "~").padEnd(length, "~"))}`,
    ],
  );
}

/** Shows the whole marked part, over several lines if needed, with as much context as fits. */
function windows(
  line: string,
  range: Range,
  width: number,
): readonly { readonly text: string; readonly column: number; readonly length: number }[] {
  const start = Math.min(Math.max(0, range.column - 1), line.length);
  const from = Math.max(0, start - MAX_LINE_CHARACTERS);
  const before = showControl(line.slice(from, start));
  const sameLine = range.endLine === undefined || range.endLine === range.line;
  const end = sameLine ? Math.min(line.length, (range.endColumn ?? range.column + 1) - 1) : line.length;
  const marked = showControl(line.slice(start, Math.min(end, start + MAX_LINE_CHARACTERS)));
  const after = showControl(line.slice(Math.max(start, end), Math.max(start, end) + MAX_LINE_CHARACTERS));
  const column = displayWidth(before);
  const room = Math.max(10, width);
  const isLong = displayWidth(marked) > room;
  const parts = isLong ? wrap(marked, { width: room, maxLines: MAX_MARKED_LINES }) : [marked];
  // One more column, because the text after the mark may be cut with an ellipsis.
  const wanted = Math.max(displayWidth(marked) + 1, CONTEXT_COLUMNS);
  const least = Math.min(displayWidth(marked + after), wanted, room);
  const fits = column + least <= room;
  const visible = fits ? before : truncateStart(before, Math.min(CONTEXT_COLUMNS, room - least));
  return parts.map((part, index) => {
    const lead = index === 0 ? visible : "";
    const text = truncate(lead + part + (index === parts.length - 1 ? after : ""), room);
    return { text, column: displayWidth(lead), length: Math.max(1, displayWidth(part)) };
  });
}

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
