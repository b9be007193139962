import { join } from "node:path";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Capabilities, ExcerptLine, Finding, ScanResult, ScanSummary } from "@skillet/scan";
import { diagnosticReport, lineFrame } from "../ui/diagnostic-report.ts";
import { severityPaint, verdictMark, verdictPaint } from "../ui/skill-state.ts";
import type { Layout } from "../ui/terminal.ts";
import { count, displayWidth, pad, showControl, showPath, stripControl, truncate, wrap } from "../ui/text.ts";
import { countOf, type ReportEnd } from "./report-writer.ts";

/** How much of a skill is shown. */
export interface SkillLayout extends FindingLayout {
  /** Also findings without effect, capabilities of safe skills and every dismissed finding. */
  readonly verbose: boolean;
}

// More of one skill than this says nothing new; the other formats have all of it.
const MAX_FINDINGS = 20;
const MAX_VALUES = 12;
const MAX_VALUE_COLUMNS = 60;
const MAX_FILES = 10;

/** One scanned skill: a line where nothing speaks against it, and everything that does otherwise. */
export function skillBlock(result: ScanResult, layout: SkillLayout): string[] {
  const { verdict, findings, suppressed } = result.report;
  const shown = layout.verbose ? findings : findings.filter(({ severity }) => severity !== "info");
  const isQuiet =
    verdict === "safe" && suppressed.length === 0 && result.opinion === undefined && !layout.verbose;
  if (isQuiet) return [...headline(result, layout), ...abilityLine(result.report.capabilities, layout)];
  const blocks = shown
    .slice(0, layout.verbose ? shown.length : MAX_FINDINGS)
    .map((finding) => findingBlock(finding, result, layout));
  return [
    ...headline(result, layout),
    ...blocks.flatMap((block) => ["", ...block]),
    ...(shown.length > blocks.length
      ? ["", `and ${count(shown.length - blocks.length, "more finding")}: --verbose`]
      : []),
    "",
    ...opinionLines(result, layout),
    ...suppressedLines(result, layout),
    ...unreadLines(result, layout),
    ...capabilityLines(result.report.capabilities, layout),
    "",
  ];
}

function headline(
  { path, name, report }: ScanResult,
  { colours, width, environment, verbose }: SkillLayout,
): string[] {
  const { verdict, findings } = report;
  const mark = verdictMark(verdict, colours);
  const title = truncate(stripControl(name), Math.min(60, width - verdict.length - 4));
  const notes = countOf(findings, "info");
  const hint = verbose ? "" : ": --verbose";
  const tail = `${showPath(path, environment)}${notes > 0 ? `  ${count(notes, "note")}${hint}` : ""}`;
  const left = `${title}  ${verdict}`;
  const line = `${mark} ${colours.bold(title)}  ${verdictPaint(verdict, colours)(verdict)}`;
  const room = width - displayWidth(left) - 4;
  return displayWidth(tail) <= room
    ? [`${line}  ${colours.dim(tail)}`]
    : [line, `  ${colours.dim(truncate(tail, width - 2))}`];
}

function opinionLines({ opinion }: ScanResult, layout: SkillLayout): string[] {
  if (opinion === undefined) return [];
  const { verdict, by, reasons } = opinion;
  return row("second opinion", [`${verdict}, by ${by}`, ...reasons].join("; "), layout);
}

function suppressedLines({ report: { suppressed } }: ScanResult, layout: SkillLayout): string[] {
  return suppressed.flatMap(({ finding, reason }) =>
    row("dismissed", `${finding.rule} at ${finding.file}:${finding.line}: ${reason}`, layout),
  );
}

function unreadLines({ report: { coverage } }: ScanResult, layout: SkillLayout): string[] {
  const odd = coverage.filter(({ state }) => state !== "read");
  const listed = odd.slice(0, MAX_FILES);
  const rest = odd.length - listed.length;
  return [
    ...listed.flatMap(({ file, state, reason }) =>
      row(
        state === "unread" ? "not read" : "read in part",
        `${file}${reason === undefined ? "" : `: ${reason}`}`,
        layout,
      ),
    ),
    ...(rest > 0 ? row("", `and ${count(rest, "more file")}`, layout) : []),
  ];
}

const LABELS: Readonly<Record<keyof Capabilities, string>> = {
  network: "network",
  commands: "commands",
  paths: "paths",
  // Names of variables as well, of which only some hold secrets.
  secrets: "secrets and env",
  persistence: "persistence",
  agentConfig: "agent config",
  packages: "packages",
  remoteInstructions: "instructions",
};

const MAX_SHORT_VALUES = 4;
const MAX_SHORT_VALUE_COLUMNS = 30;
const MAX_SHORT_COLUMNS = 100;

// What a skill can do is no fault, but nobody should have to ask for it. Commands and paths are many and ordinary.
function abilityLine(capabilities: Capabilities, { width, colours }: SkillLayout): string[] {
  const { commands, paths } = capabilities;
  const named = Object.entries(LABELS)
    .filter(([key]) => key !== "commands" && key !== "paths")
    .flatMap(([key, label]) => shortList(label, capabilities[key as keyof Capabilities]));
  const counted = [
    ...(commands.length > 0 ? [count(commands.length, "command")] : []),
    ...(paths.length > 0 ? [count(paths.length, "path")] : []),
  ];
  const parts = [...named, ...(counted.length > 0 ? [counted.join(", ")] : [])];
  if (parts.length === 0) return [];
  return [colours.dim(truncate(`  uses ${parts.join("; ")}`, Math.min(width, MAX_SHORT_COLUMNS)))];
}

function shortList(label: string, values: readonly string[]): string[] {
  if (values.length === 0) return [];
  const shown = values
    .slice(0, MAX_SHORT_VALUES)
    .map((value) => truncate(stripControl(value), MAX_SHORT_VALUE_COLUMNS));
  const rest = values.length - shown.length;
  return [`${label} ${shown.join(", ")}${rest > 0 ? ` +${rest}` : ""}`];
}

function capabilityLines(capabilities: Capabilities, layout: SkillLayout): string[] {
  return Object.entries(LABELS).flatMap(([key, label]) => {
    const values = capabilities[key as keyof Capabilities];
    if (values.length === 0) return [];
    const shown = values
      .slice(0, layout.verbose ? values.length : MAX_VALUES)
      .map((value) => truncate(showControl(value), MAX_VALUE_COLUMNS));
    const rest = values.length - shown.length;
    return row(label, `${shown.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`, layout);
  });
}

const LABEL_WIDTH = 16;

function row(label: string, text: string, { width, colours }: SkillLayout): string[] {
  const lines = wrap(stripControl(text), { width: width - LABEL_WIDTH - 2, maxLines: 8 });
  return lines.map((line, index) => `  ${colours.dim(pad(index === 0 ? label : "", LABEL_WIDTH))}${line}`);
}

/** Where a finding is shown; `lineWidth` is infinite where a program reads along. */
interface FindingLayout extends Layout {
  readonly lineWidth: number;
}

// A chain quotes the skill, whose lines may be as long as its file.
const MAX_STEP_COLUMNS = 100;

/** A finding as compilers print a fault: place, rule and message, the line itself, how it was decoded, and the way out. */
function findingBlock(finding: Finding, result: ScanResult, layout: FindingLayout): string[] {
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

/** What the scan adds up to, and what could not be searched. */
export function summaryLines({ summary, diagnostics }: ReportEnd, layout: FindingLayout): string[] {
  const faults = diagnostics.flatMap((diagnostic) => [
    ...diagnosticReport(diagnostic, { ...layout, file: diagnostic.file }),
    "",
  ]);
  const errors = diagnostics.filter(isError).length;
  const failed =
    summary.skills === 0 ? "Nothing was scanned" : `${count(errors, "place")} could not be scanned`;
  return [
    ...faults,
    ...(summary.skills === 0 ? [] : [verdictLine(summary, layout)]),
    ...(errors > 0 ? [`${layout.colours.red("✗")} ${failed}`] : []),
  ];
}

function isError({ severity }: Diagnostic): boolean {
  return severity === "error";
}

function verdictLine(
  { skills, verdicts, notWholly, suppressed }: ScanSummary,
  layout: FindingLayout,
): string {
  const worst = verdicts.dangerous > 0 ? "dangerous" : verdicts.caution > 0 ? "caution" : "safe";
  const parts = (["dangerous", "caution", "safe"] as const)
    .filter((verdict) => verdicts[verdict] > 0)
    .map((verdict) => `${verdicts[verdict]} ${verdict}`);
  const notes = [
    ...(notWholly > 0 ? [`${count(notWholly, "file")} not read whole`] : []),
    ...(suppressed > 0 ? [`${count(suppressed, "finding")} dismissed`] : []),
  ];
  const note = notes.length === 0 ? "" : ` (${notes.join(", ")})`;
  return `${verdictMark(worst, layout.colours)} ${count(skills, "skill")}: ${parts.join(", ")}${note}`;
}
