import { join } from "node:path";
import type { Capabilities, Finding, FindingSeverity, ScanResult, ScanSummary, Verdict } from "@skillet/scan";
import { abilitiesIn, abilitySentence } from "../ui/ability-sentence.ts";
import { compilerLines, diagnosticReport, lineFrame } from "../ui/diagnostic-report.ts";
import { severityPaint, verdictMark, verdictPaint, verdictWords } from "../ui/skill-state.ts";
import type { Layout } from "../ui/terminal.ts";
import {
  count,
  displayWidth,
  firstLines,
  hang,
  moreInJson,
  pad,
  showControl,
  showPath,
  stripControl,
  truncate,
} from "../ui/text.ts";
import { countOf, type ReportEnd } from "./report-writer.ts";

type JudgedResult = ScanResult & { readonly approval?: unknown };

export interface SkillLayout extends FindingLayout {
  /** Also shows findings without effect, every capability and every dismissed finding. */
  readonly verbose: boolean;
  /** Set for the only skill of a scan, which has room for more details. */
  readonly isOnly?: boolean;
}

// More than this per skill says nothing new; the other formats have everything.
const MAX_FINDINGS = 20;
const MAX_FILES = 10;

export function skillBlock(result: JudgedResult, layout: SkillLayout): string[] {
  const { verdict, findings, suppressed, capabilities, coverage, opinion } = result.report;
  const { verbose } = layout;
  if (verdict === "safe" && suppressed.length === 0 && opinion === undefined && !verbose)
    return [
      ...headline(result, layout),
      ...(layout.isOnly === true ? abilityLines(capabilities, layout) : []),
    ];
  const shown = verbose ? findings : findings.filter(({ severity }) => severity !== "info");
  const listed = verbose ? shown : shown.slice(0, MAX_FINDINGS);
  const rest = shown.length - listed.length;
  const odd = coverage.filter(({ state }) => state !== "read");
  return [
    ...headline(result, layout),
    ...(rest > 0 ? ["", `${count(rest, "more finding")}: --verbose`] : []),
    // The worst findings come last, at the end of the screen.
    ...listed.toSorted(bySeverity).flatMap((finding) => ["", ...findingBlock(finding, result, layout)]),
    "",
    ...(opinion === undefined ? [] : row("read by", `${opinion.by}: ${opinion.verdict}`, layout)),
    ...suppressed.flatMap(({ finding: { rule, file, line }, reason }) =>
      row("dismissed", `${rule} at ${file}:${line}: ${reason}`, layout),
    ),
    ...odd.slice(0, MAX_FILES).flatMap(({ file, state, reason }) => {
      const why = reason === undefined ? "" : `: ${reason}`;
      return row(state === "unread" ? "not read" : "read in part", `${file}${why}`, layout);
    }),
    ...(odd.length > MAX_FILES ? row("", `and ${count(odd.length - MAX_FILES, "more file")}`, layout) : []),
    ...abilityLines(capabilities, layout),
    "",
  ];
}

function bySeverity(left: Finding, right: Finding): number {
  return SEVERITIES.indexOf(left.severity) - SEVERITIES.indexOf(right.severity);
}

const SEVERITIES: readonly string[] = ["info", "warn", "critical"];

function headline(
  { path, name, report, approval }: JudgedResult,
  { colours, width, environment, verbose }: SkillLayout,
): string[] {
  const { verdict, findings } = report;
  const words = verdictWords({ verdict, approved: approval !== undefined });
  const title = truncate(stripControl(name), Math.min(60, width - words.length - 4));
  const notes = countOf(findings, "info");
  const hint = verbose ? "" : ": --verbose";
  const tail = `${showPath(path, environment)}${notes > 0 ? `  ${count(notes, "note")}${hint}` : ""}`;
  const paint = verdictPaint(verdict, colours);
  const line = `${verdictMark(verdict, colours)} ${colours.bold(title)}  ${paint(words)}`;
  const room = width - displayWidth(`${title}  ${words}`) - 4;
  return displayWidth(tail) <= room
    ? [`${line}  ${colours.dim(tail)}`]
    : [line, `  ${colours.dim(truncate(tail, width - 2))}`];
}

// Abilities are not problems, but they are always shown.
function abilityLines(capabilities: Capabilities, layout: SkillLayout): string[] {
  const sentence = abilitySentence(abilitiesIn(capabilities), { whole: layout.verbose });
  return hang(sentence, layout, { indent: 2, paint: layout.colours.dim });
}

const LABEL_WIDTH = 16;

function row(label: string, text: string, layout: SkillLayout): string[] {
  const lead = `  ${layout.colours.dim(pad(label, LABEL_WIDTH))}`;
  return hang(text, layout, { indent: LABEL_WIDTH + 2, lead, maxLines: 8 });
}

/** `lineWidth` is infinite if a program reads the output. */
interface FindingLayout extends Layout {
  readonly lineWidth: number;
}

// A chain quotes the skill, whose lines may be as long as its file.
const MAX_STEP_COLUMNS = 100;

/** Shows a finding like a compiler error: place, rule and message, the line, its decoding, and a remedy. */
export function findingBlock(finding: Finding, result: ScanResult, layout: FindingLayout): string[] {
  const { rule, severity, message, demoted = "", remedy } = finding;
  const { colours, width, lineWidth } = layout;
  return [
    ...compilerLines(
      {
        place: `${showControl(join(result.folder, finding.file))}:${finding.line}:`,
        severity,
        code: rule,
        message: stripControl(message),
        paint: severityPaint(severity, colours),
        maxLines: 6,
      },
      { colours, width: lineWidth, messageWidth: width },
    ),
    ...frame(finding, result, layout),
    ...chainLines(finding, result, layout),
    ...labelled("lowered:", demoted, layout, colours.dim),
    ...labelled("fix:", remedy, layout, colours.cyan),
  ];
}

function frame(finding: Finding, { excerpts }: ScanResult, layout: FindingLayout): string[] {
  const { width, colours } = layout;
  const paint = severityPaint(finding.severity, colours);
  const { text = "", mark } = excerpts.get(finding)?.find(({ number }) => number === finding.line) ?? {};
  if (text !== "") {
    const { start, end } = valuesIn(text, mark ?? { start: 0, end: text.length }, finding.message);
    const range = { line: finding.line, column: start + 1, endColumn: end + 1 };
    return lineFrame(text, range, { width, colours, paint });
  }
  // Decoded text and archive members have no line that could be shown.
  const [first = ""] = finding.evidence.split("\n", 1);
  return first.trim() === "" ? [] : [`    ${paint(truncate(showControl(first), width - 4))}`];
}

// Marks paths and hosts that the message names and what is between them; the rest explains nothing.
function valuesIn(
  text: string,
  mark: { readonly start: number; readonly end: number },
  message: string,
): { readonly start: number; readonly end: number } {
  const values = message.split(/[\s()"'`,;]+/).filter((word) => word.length > 3 && /[./]\w/.test(word));
  const places = values.flatMap((value) => {
    // The home folder may be written differently.
    const path = value.replace(/^~(?=\/)/, "");
    const end = text.indexOf(path, mark.start) + path.length;
    const start = text.slice(mark.start, end - path.length).search(/[^\s"'`(=@]*$/) + mark.start;
    return end < path.length || end > mark.end ? [] : [{ start, end }];
  });
  if (places.length === 0 || places.length < values.length) return mark;
  return {
    start: Math.min(...places.map(({ start }) => start)),
    end: Math.max(...places.map(({ end }) => end)),
  };
}

// For example `line 35: base64 → shell → curl http://…`: the whole path from the text to its effect.
function chainLines(finding: Finding, result: ScanResult, layout: FindingLayout): string[] {
  const { chain, related = [], evidence } = finding;
  const { dim, magenta } = layout.colours;
  const [first] = chain;
  const steps = [...chain.map(({ how }) => how), evidence.split("\n", 1)[0] ?? ""]
    .map((step) => truncate(stripControl(step), MAX_STEP_COLUMNS))
    .filter((step) => step !== "");
  const decoded = first === undefined ? "" : `line ${first.line}: ${steps.join(" → ")}`;
  const places = related.map(({ file, line }) => `${showControl(join(result.folder, file))}:${line}`);
  return [
    ...labelled("decoded:", decoded, layout, magenta),
    ...labelled("with:", places.join(", "), layout, dim),
  ];
}

function labelled(label: string, text: string, layout: Layout, paint: (text: string) => string): string[] {
  return hang(text, layout, { indent: label.length + 3, lead: `  ${paint(label)} `, maxLines: 6 });
}

const MAX_CLOSING = 50;

/** One line per unsafe skill with its worst finding, because the full report may have scrolled away. */
export function closingLine({ name, path, report }: ScanResult, layout: FindingLayout): string[] {
  const { colours, width, environment } = layout;
  const bySeverity = (wanted: FindingSeverity) => report.findings.find(({ severity }) => severity === wanted);
  const worst = bySeverity("critical") ?? bySeverity("warn");
  const why = worst === undefined ? "" : `: ${worst.rule} at ${worst.file}:${worst.line}, ${worst.message}`;
  const where = showPath(path, environment);
  const lead = `  ${verdictMark(report.verdict, colours)} `;
  return hang(`${truncate(name, 60)} (${where})${why}`, { width }, { indent: 4, lead, maxLines: 3 });
}

export function summaryLines(
  { summary, diagnostics }: ReportEnd,
  layout: FindingLayout,
  closing: Partial<Record<Verdict, readonly (readonly string[])[]>> = {},
): string[] {
  const { colours } = layout;
  const { skills, verdicts, notWholly, suppressed } = summary;
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  const failed = skills === 0 ? "Nothing was scanned" : `${count(errors, "error")}, shown above`;
  const worst = VERDICTS.find((verdict) => verdicts[verdict] > 0) ?? "safe";
  const notes = [
    ...(notWholly > 0 ? [`${count(notWholly, "file")} not read whole`] : []),
    ...(suppressed > 0 ? [`${count(suppressed, "finding")} dismissed`] : []),
  ];
  const note = notes.length === 0 ? "" : ` (${notes.join(", ")})`;
  const total = `${verdictMark(worst, colours)} ${count(skills, "skill")}: ${verdictCounts(summary)}${note}`;
  return [
    ...diagnostics.flatMap((one) => [...diagnosticReport(one, { ...layout, file: one.file }), ""]),
    ...(["caution", "dangerous"] as const).flatMap((verdict) => {
      const named = closing[verdict] ?? [];
      const title = verdict === "caution" ? "Caution:" : "Dangerous:";
      const lines = firstLines(named, MAX_CLOSING, (one) => one, moreInJson(layout));
      return named.length === 0 ? [] : [colours.bold(title), ...lines];
    }),
    ...(skills === 0 ? [] : [total]),
    ...(errors > 0 ? [`${colours.red("✗")} ${failed}`] : []),
  ];
}

const VERDICTS = ["dangerous", "caution", "safe"] as const;

/** For example `1 dangerous, 3 safe`. */
export function verdictCounts({ verdicts }: ScanSummary): string {
  return VERDICTS.filter((verdict) => verdicts[verdict] > 0)
    .map((verdict) => `${verdicts[verdict]} ${verdict}`)
    .join(", ");
}
