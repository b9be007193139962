import type { Diagnostic, Severity } from "@skillet/core";
import { codeFrame } from "./code-frame.ts";
import { displayWidth } from "./display-width.ts";
import { truncate, truncateStart, wrap } from "./fit-text.ts";
import type { Layout } from "./layout.ts";
import { showControl, stripControl } from "./strip-control.ts";
import type { Colours } from "./terminal.ts";

// Messages quote the skill, whose names may be as long as its file.
const MAX_MESSAGE_COLUMNS = 400;

/** Where a diagnostic is shown, what its file is called there, and the file's text where it is known. */
export interface DiagnosticLayout extends Layout {
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
  const title = `${colours.bold(place)} ${severityColour(severity, colours)(severity)} ${colours.dim(code)}:`;
  const fits = displayWidth(`${place} ${severity} ${code}: ${message}`) <= lineWidth;
  return [
    ...(fits
      ? [`${title} ${message}`]
      : [title, ...wrap(message, { width: lineWidth - 2 }).map((line) => `  ${line}`)]),
    ...evidence(diagnostic, options),
  ];
}

/** The same, for reading instead of for editors: no line is longer than the screen is wide. */
export function diagnosticBlock(diagnostic: Diagnostic, options: DiagnosticLayout): string[] {
  const { colours, width } = options;
  const { severity, code, message, range } = diagnostic;
  const position = range === undefined ? "" : `:${range.line}:${range.column}`;
  const title = `${severity} ${stripControl(code)}`;
  const place = truncateStart(
    `${showControl(options.file)}${position}`,
    Math.max(12, width - title.length - 2),
  );
  return [
    `${severityColour(severity, colours)(severity)} ${stripControl(code)}  ${colours.dim(place)}`,
    ...wrap(stripControl(message), { width: width - 2, maxLines: 6 }).map((line) => `  ${line}`),
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
