import type { Diagnostic, Severity } from "@skillet/kit/diagnostics";
import { codeFrame } from "./code-frame.ts";
import { displayWidth } from "./display-width.ts";
import { truncate, wrap } from "./fit-text.ts";
import type { Layout } from "./layout.ts";
import { showSentence } from "./show-path.ts";
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
