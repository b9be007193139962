import { join } from "node:path";
import type { ExcerptLine, Finding, ScanResult } from "@skillet/scan";
import { lineFrame } from "../ui/code-frame.ts";
import { displayWidth } from "../ui/display-width.ts";
import { truncate, wrap } from "../ui/fit-text.ts";
import type { Layout } from "../ui/layout.ts";
import { showControl, stripControl } from "../ui/strip-control.ts";
import { severityPaint } from "./verdict-mark.ts";

/** Where a finding is shown; `lineWidth` is infinite where a program reads along. */
export interface FindingLayout extends Layout {
  readonly lineWidth: number;
}

// A chain quotes the skill, whose lines may be as long as its file.
const MAX_STEP_COLUMNS = 100;

/** A finding as compilers print a fault: place, rule and message, the line itself, how it was decoded, and the way out. */
export function findingBlock(finding: Finding, result: ScanResult, layout: FindingLayout): string[] {
  const { rule, severity, message, demoted, remedy } = finding;
  const { colours, width, lineWidth } = layout;
  const paint = severityPaint(severity, colours);
  const place = `${showControl(join(result.folder, finding.file))}:${finding.line}:`;
  const title = `${place} ${severity} ${rule}:`;
  const text = stripControl(message);
  const kind = `${paint(severity)} ${colours.dim(`${rule}:`)}`;
  const heading =
    displayWidth(title) <= lineWidth
      ? [`${colours.bold(place)} ${kind}`]
      : [...wrap(place, { width: lineWidth }).map((line) => colours.bold(line)), `  ${kind}`];
  const fits = displayWidth(`${title} ${text}`) <= lineWidth;
  return [
    ...(fits ? [`${heading.join("")} ${text}`] : [...heading, ...indented(text, width)]),
    ...frame(finding, result, layout),
    ...chainLines(finding, result, layout),
    ...(demoted === undefined ? [] : labelled("lowered:", demoted, width, colours.dim)),
    ...labelled("fix:", remedy, width, colours.cyan),
  ];
}

function frame(finding: Finding, { excerpts }: ScanResult, layout: FindingLayout): string[] {
  const { width, colours } = layout;
  const paint = severityPaint(finding.severity, colours);
  const lines = excerpts.get(finding);
  const offending = lines?.find(({ number }) => number === finding.line);
  if (offending !== undefined && offending.text !== "")
    return markedLine(offending, { width, colours, paint });
  // Decoded text and members of archives stand on no line that could be shown.
  const [first = ""] = finding.evidence.split("\n", 1);
  return first.trim() === "" ? [] : [`    ${paint(truncate(showControl(first), width - 4))}`];
}

function markedLine({ number, text, mark }: ExcerptLine, options: Parameters<typeof lineFrame>[2]): string[] {
  const { start, end } = mark ?? { start: 0, end: text.length };
  return lineFrame(text, { line: number, column: start + 1, endColumn: end + 1 }, options);
}

// `line 35: base64 → shell → curl http://…`, which is the whole way from what stands there to what it does.
function chainLines(finding: Finding, result: ScanResult, { width, colours }: FindingLayout): string[] {
  const { chain, related = [], evidence } = finding;
  const lines: string[] = [];
  const [first] = chain;
  if (first !== undefined) {
    const steps = [...chain.map(({ how }) => how), evidence.split("\n", 1)[0] ?? ""];
    const shown = steps
      .map((step) => truncate(stripControl(step), MAX_STEP_COLUMNS))
      .filter((step) => step !== "");
    lines.push(...labelled("decoded:", `line ${first.line}: ${shown.join(" → ")}`, width, colours.magenta));
  }
  const places = related.map(({ file, line }) => `${showControl(join(result.folder, file))}:${line}`);
  if (places.length > 0) lines.push(...labelled("with:", places.join(", "), width, colours.dim));
  return lines;
}

function labelled(label: string, text: string, width: number, paint: (text: string) => string): string[] {
  const room = width - label.length - 3;
  const lines = wrap(stripControl(text), { width: room, maxLines: 6 });
  return lines.map((line, index) => `  ${index === 0 ? paint(label) : " ".repeat(label.length)} ${line}`);
}

function indented(text: string, width: number): string[] {
  return wrap(text, { width: width - 2, maxLines: 6 }).map((line) => `  ${line}`);
}
