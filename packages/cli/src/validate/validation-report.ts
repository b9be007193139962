import type { Diagnostic } from "@skillet/kit/diagnostics";
import { loadInstalling } from "../load-beside.ts";
import { diagnosticReport } from "../ui/diagnostic-report.ts";
import type { Layout } from "../ui/terminal.ts";
import { count, firstLines, hang, showControl, stripControl, truncate } from "../ui/text.ts";

export interface ValidationResult {
  readonly kind: "skill" | "command" | "plugin" | "place";
  readonly path: string;
  readonly diagnostics: readonly Diagnostic[];
  /** These three are absent if nothing could be read. */
  readonly file?: string;
  readonly text?: string;
  readonly bytes?: Uint8Array;
  /** Whether `--fix` would change it. */
  readonly isRepairable?: boolean;
  readonly repairs?: {
    readonly applied: readonly Diagnostic[];
    readonly changes: readonly ChangedLine[];
    readonly remaining: readonly Diagnostic[];
    /** False in a dry run: the file is unchanged. */
    readonly written: boolean;
  };
}

export function isValid({ diagnostics }: ValidationResult): boolean {
  return !diagnostics.some(({ severity }) => severity === "error");
}

/** The problems to report: the file's, or in a dry run those that its repairs would leave. */
function reportedFaults({ diagnostics, repairs }: ValidationResult): readonly Diagnostic[] {
  return repairs !== undefined && !repairs.written ? repairs.remaining : diagnostics;
}

interface ChangedLine {
  readonly sign: "-" | "+";
  readonly text: string;
}

export function changedLines(before: string, after: string): readonly ChangedLine[] {
  const ended = (text: string): string => `${text.replaceAll(/\r\n?/g, "\n")}\n`;
  return loadInstalling()
    .lineDiff(ended(before), ended(after))
    .flatMap(({ kind, text }) => (kind === "same" ? [] : [{ sign: kind === "removed" ? "-" : "+", text }]));
}

// A repair changes a few lines of a header; more than a screenful says nothing.
const MAX_CHANGED_LINES = 40;

interface ReportOptions extends Layout {
  readonly quiet: boolean;
  readonly lineWidth: number;
}

export function validationReport(results: readonly ValidationResult[], options: ReportOptions): string[] {
  const blocks = results.flatMap((result) => [
    ...repairBlocks(result, options),
    ...diagnosticBlocks(result, options),
  ]);
  const lines = blocks.flatMap((block) => [...block, ""]);
  if (!options.quiet) return [...lines, ...validationSummary(results, options)];
  return lines.slice(0, -1);
}

function repairBlocks({ path, repairs }: ValidationResult, options: ReportOptions): string[][] {
  if (repairs === undefined || options.quiet) return [];
  const { colours, width } = options;
  const codes = [...new Set(repairs.applied.map(({ code }) => stripControl(code)))].join(", ");
  const title = `${showControl(path)}: ${repairs.written ? "repaired" : "would repair"} ${codes}`.trimEnd();
  const changes = firstLines(
    repairs.changes,
    MAX_CHANGED_LINES,
    ({ sign, text }) => {
      const paint = sign === "-" ? colours.red : colours.green;
      // Makes trailing spaces visible.
      const shown = showControl(text).replace(/ +$/, (spaces) => "·".repeat(spaces.length));
      return `  ${paint(truncate(`${sign} ${shown}`, width - 2))}`;
    },
    (rest) => `  ${colours.dim(`and ${count(rest, "more line")}`)}`,
  );
  return [[...hang(title, options, { paint: colours.bold }), ...changes]];
}

function diagnosticBlocks(result: ValidationResult, options: ReportOptions): string[][] {
  // A repair may move lines, so the remaining problems are shown without source text.
  const shownText = result.repairs?.written === false ? undefined : result.text;
  const lineOf = ({ file, range }: Diagnostic): number =>
    file === result.file ? (range?.line ?? 0) : Number.MAX_SAFE_INTEGER;
  return reportedFaults(result)
    .filter(({ severity }) => !options.quiet || severity === "error")
    .toSorted((left, right) => lineOf(left) - lineOf(right))
    .map((diagnostic) =>
      diagnosticReport(diagnostic, {
        ...options,
        file: diagnostic.file,
        ...(shownText !== undefined && diagnostic.file === result.file && { text: shownText }),
      }),
    );
}

/** Counts what was checked, then what could not be: places are neither valid nor invalid skills. */
function validationSummary(results: readonly ValidationResult[], layout: Layout): string[] {
  const { red, yellow } = layout.colours;
  const checked = results.filter(({ kind }) => kind !== "place");
  const places = results.filter(({ kind }) => kind === "place").flatMap(({ diagnostics }) => diagnostics);
  const errors = places.filter(({ severity }) => severity === "error").length;
  const leftOut = places.length - errors;
  const failed =
    checked.length === 0 ? "Nothing was checked" : `${count(errors, "place")} could not be checked`;
  return [
    ...(checked.length === 0 ? [] : verdict(checked, layout)),
    ...(errors > 0 ? [`${red("✗")} ${failed}`] : []),
    ...(results.some(({ isRepairable, repairs }) => isRepairable === true && repairs === undefined)
      ? ["Some of this can be repaired: add --fix, or --fix --dry-run to see how."]
      : []),
    ...(leftOut > 0 ? [`${yellow("!")} ${count(leftOut, "place")} left out`] : []),
  ];
}

function verdict(checked: readonly ValidationResult[], layout: Layout): string[] {
  const isForecast = checked.some(({ repairs }) => repairs?.written === false);
  const invalid = checked.filter((one) => !isValid({ ...one, diagnostics: reportedFaults(one) })).length;
  const is = isForecast ? "would be" : invalid > 1 && checked.length > 1 ? "are" : "is";
  const tally = tallySeverities(checked.flatMap(reportedFaults));
  const counted = isForecast ? `after the repairs: ${tally === "" ? "no faults" : tally}` : tally;
  const note = counted === "" ? "" : ` (${counted})`;
  const { green, red } = layout.colours;
  const say = (text: string): string[] =>
    hang(text, layout, { indent: 2, lead: `${invalid === 0 ? green("✓") : red("✗")} ` });
  const [only] = checked;
  if (only !== undefined && checked.length === 1)
    return say(`${showControl(only.path)} ${is} ${invalid === 0 ? "valid" : "invalid"}${note}`);
  if (invalid === 0) return say(`${countKinds(checked)}, all valid${note}`);
  return say(`${invalid} of ${countKinds(checked)} ${is} invalid${note}`);
}

function countKinds(all: readonly ValidationResult[]): string {
  const checked = all.filter(({ kind }) => kind !== "plugin");
  const files = count(all.length - checked.length, "plugin file");
  if (checked.length < all.length)
    return checked.length === 0 ? files : `${files} and ${countKinds(checked)}`;
  const commands = checked.filter(({ kind }) => kind === "command").length;
  if (commands === 0) return count(checked.length, "skill");
  return commands === checked.length ? count(commands, "command") : `${checked.length} skills and commands`;
}

/** For example `1 error, 2 notes`. */
export function tallySeverities(faults: readonly Diagnostic[]): string {
  return (["error", "warning", "info"] as const)
    .flatMap((wanted) => {
      const number = faults.filter(({ severity }) => severity === wanted).length;
      return number === 0 ? [] : [count(number, wanted === "info" ? "note" : wanted)];
    })
    .join(", ");
}
