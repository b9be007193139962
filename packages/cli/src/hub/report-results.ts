import { isAbsolute, join } from "node:path";
import type { HubResult, LockEntry, PlanItem, Resolved } from "@skillet/hub";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { CommandContext, ExitCode } from "../context/command-context.ts";
import { diagnosticReport } from "../ui/diagnostic-report.ts";
import { diagnosticRow, printJson } from "../ui/json-document.ts";
import type { Colours } from "../ui/terminal.ts";
import { showPath, showSentence, stripControl, wrap } from "../ui/text.ts";

interface ResultReport {
  readonly rows: readonly ResultRow[];
  /** The lock's folder. */
  readonly root: string;
  readonly dryRun: boolean;
  readonly diagnostics?: readonly Diagnostic[];
  /** Tools that are missing, as documents have them. */
  readonly tools?: readonly Readonly<Record<string, unknown>>[];
  /** Paths of what was installed, by name. */
  readonly files?: ReadonlyMap<string, readonly string[]>;
  /** The command that does what nothing speaks against, where others kept it from being done. */
  readonly alone?: string | undefined;
  /** What to say where there is nothing to tell. */
  readonly nothing: string;
}

/** Prints what became of each name, as a document or for people, and gives the exit code. */
export function reportResults(context: CommandContext, report: ResultReport): ExitCode {
  const { rows, dryRun, diagnostics = [], tools = [] } = report;
  if (context.json)
    printJson(context.terminal, {
      ...(dryRun && { dryRun }),
      results: rows,
      ...(tools.length > 0 && { tools }),
      ...(diagnostics.length > 0 && { diagnostics: diagnostics.map(diagnosticRow) }),
    });
  else printRows(context, report);
  return rows.some(isRefusal) ? 1 : 0;
}

function printRows(context: CommandContext, report: ResultReport): void {
  const { terminal } = context;
  if (report.rows.length === 0) terminal.print(report.nothing);
  // One cause is enough to read, and not once more for each of those that it kept from being done.
  const isLeft = ({ outcome }: ResultRow): boolean => outcome === "skipped" || outcome === "unchanged";
  const isCause = (row: ResultRow): boolean => isRefusal(row) && row.outcome !== "skipped";
  const isStopped =
    report.rows.some(({ outcome }) => outcome === "skipped") &&
    report.rows.some(isCause) &&
    !report.rows.some(({ outcome }) => PLACED.has(outcome));
  const wereLeft = isStopped ? report.rows.filter(isLeft) : [];
  for (const row of report.rows) if (!wereLeft.includes(row)) printRow(context, row, report);
  if (wereLeft.length > 0) {
    const others = wereLeft.length === 1 ? "1 other was" : `${wereLeft.length} others were`;
    const again = report.alone === undefined ? "" : ` To do what can be done: ${report.alone}`;
    for (const line of wrap(
      stripControl(`${others} left as ${wereLeft.length === 1 ? "it is" : "they are"}.${again}`),
      {
        width: terminal.width,
      },
    ))
      terminal.print(line);
  }
  if (report.dryRun) terminal.print("Nothing was changed: this was a dry run.");
}

function printRow(
  { terminal, environment }: CommandContext,
  row: ResultRow,
  { root, dryRun, files }: ResultReport,
): void {
  const { colours, width } = terminal;
  const { name, outcome, reason, resolved, digest, targets = [] } = row;
  const pin = resolved === undefined ? "" : `  ${colours.dim(stripControl(showPin(resolved, digest)))}`;
  const words = dryRun && !isRefusal(row) ? wouldBe(outcome) : outcome;
  terminal.print(`${markOf(row, colours)} ${colours.bold(stripControl(name))}  ${words}${pin}`);
  const moved = movedWords(row);
  if (moved !== undefined) terminal.print(`    ${stripControl(moved)}`);
  const lines = reason === undefined ? [] : wrap(showSentence(reason, environment), { width: width - 4 });
  for (const line of lines) terminal.print(`    ${line}`);
  if (!PLACED.has(outcome) || dryRun) return;
  for (const { path, how } of targets) {
    const place = showPath(isAbsolute(path) ? path : join(root, path), environment);
    terminal.print(`    ${place}${how === "link" ? " (link)" : ""}`);
  }
  for (const line of fileTree(files?.get(name) ?? [])) terminal.print(`      ${colours.dim(line)}`);
}

/** Says on standard error what was odd about a source; with `--json` the document has it. */
export function warnDiagnosticsOf(
  { terminal, environment, json }: CommandContext,
  diagnostics: readonly Diagnostic[],
): void {
  if (json) return;
  const layout = {
    width: terminal.errors.width,
    lineWidth: terminal.errors.width,
    colours: terminal.errors.colours,
    environment,
  };
  // Style is its author's business, and `skillet validate` tells.
  for (const diagnostic of diagnostics.filter(({ severity }) => severity !== "info"))
    for (const line of diagnosticReport(diagnostic, { ...layout, file: diagnostic.file }))
      terminal.warn(line);
}

// The lock follows the source, so that its change in version control has an explanation.
function movedWords({ outcome, resolved, before, digest }: ResultRow): string | undefined {
  if (outcome !== "unchanged" || resolved === undefined || before === undefined) return undefined;
  const [old, now] = [showPin(before, digest), showPin(resolved, digest)];
  return old === now ? undefined : `The lock moved from ${old} to ${now}; the files are the same.`;
}

const PLACED: ReadonlySet<string> = new Set(["installed", "restored", "updated", "rolled-back"]);
const LEFT: ReadonlySet<string> = new Set(["kept", "linked", "pinned", "unchanged"]);

function wouldBe(outcome: ResultRow["outcome"]): string {
  return LEFT.has(outcome) ? outcome : `would be ${outcome}`;
}

function markOf(row: ResultRow, colours: Colours): string {
  if (isRefusal(row)) return colours.red("✗");
  return LEFT.has(row.outcome) ? colours.dim("○") : colours.green("✓");
}

const MAX_LINES = 12;

/** The top of a tree of files, folders with how many files they hold; a skill may have thousands. */
export function fileTree(paths: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const [first = "", ...rest] = path.split("/");
    const key = rest.length === 0 ? first : `${first}/`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const rows = [...counts].map(([name, number]) =>
    name.endsWith("/") ? `${stripControl(name)} (${number})` : stripControl(name),
  );
  const shown = rows.length > MAX_LINES ? rows.slice(0, MAX_LINES - 1) : rows;
  const rest = rows.length - shown.length;
  return [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].map(
    (row, index, all) => `${index === all.length - 1 ? "└" : "├"} ${row}`,
  );
}

type Report = PlanItem["report"];

/** What a scan said of one name's bytes, as documents have it. */
export interface RowInspection {
  readonly verdict: Report["verdict"];
  readonly origin: PlanItem["origin"];
  readonly capabilities: Report["capabilities"];
  /** Worst first. */
  readonly findings: readonly Pick<
    Report["findings"][number],
    "rule" | "severity" | "file" | "line" | "message"
  >[];
  /** How many were left out. */
  readonly moreFindings?: number;
}

/** One name in the documents of `install`, `update`, `remove` and `rollback`. */
export type ResultRow = Omit<HubResult, "outcome"> &
  Partial<RowInspection> & {
    readonly outcome: HubResult["outcome"] | "kept" | "pinned" | "linked";
    /** What the lock had it pinned to. */
    readonly before?: PlanItem["entry"]["resolved"];
  };

/** The outcomes that mean no. */
export function isRefusal({ outcome }: ResultRow): boolean {
  return ["blocked", "refused", "failed", "declined", "skipped"].includes(outcome);
}

const SHORT_COMMIT = 7;
const SHORT_DIGEST = 12;

/** Which version it is, short enough for a line: a commit, a version or the beginning of a digest. */
export function showPin(resolved: Resolved, digest?: string): string {
  switch (resolved.kind) {
    case "git":
      return resolved.commit.slice(0, SHORT_COMMIT);
    case "npm":
      return resolved.version;
    case "local":
      return digest === undefined ? "local" : showDigest(digest);
    case "oci":
      return resolved.tag ?? showDigest(resolved.digest);
    default:
      return showDigest(resolved.digest ?? digest ?? "unpinned");
  }
}

/** The ref or tag that a pin was found by, where there is one. */
export function showRef(resolved: Resolved): string | undefined {
  if (resolved.kind === "git") return resolved.ref?.replace(/^refs\/(?:heads|tags)\//, "");
  return resolved.kind === "oci" ? resolved.tag : undefined;
}

/** The beginning of a digest, as `rollback --to` takes it. */
export function showDigest(digest: string): string {
  return digest.replace(/^sha256:/, "").slice(0, SHORT_DIGEST);
}

/** What a plugin may run, in words. */
export function allowedWords(allowed: LockEntry["allowed"]): string {
  const state = (isOn: boolean | undefined): string => (isOn === true ? "on" : "off");
  return `hooks ${state(allowed?.hooks)}, MCP servers ${state(allowed?.mcpServers)}`;
}

/** For each plugin that was installed with parts that stay off: how they are turned on. */
export function allowAdvice(
  items: readonly PlanItem[],
  command: (words: string) => string,
): readonly string[] {
  return items.flatMap(({ name, action, candidate, entry }): readonly string[] => {
    const { parts } = candidate;
    if (action === "unchanged" || parts === undefined) return [];
    const hasHooks = parts.hooks.length > 0 && entry.allowed?.hooks !== true;
    const hasServers = parts.mcpServers.length > 0 && entry.allowed?.mcpServers !== true;
    if (!hasHooks && !hasServers) return [];
    const what = [...(hasHooks ? ["hooks"] : []), ...(hasServers ? ["MCP servers"] : [])].join(" and ");
    const flags = [...(hasHooks ? ["--hooks"] : []), ...(hasServers ? ["--mcp"] : [])].join(" ");
    return [`The ${what} of ${name} are off. To turn them on: ${command(`allow ${name} ${flags}`)}`];
  });
}
