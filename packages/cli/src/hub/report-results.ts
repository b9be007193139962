import { isAbsolute, join } from "node:path";
import type { HubResult, LockEntry, PlanItem, Resolved } from "@skillet/hub";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { answer, type CommandContext, type ExitCode } from "../context/command-context.ts";
import { diagnosticReport } from "../ui/diagnostic-report.ts";
import type { Colours, Layout, Terminal } from "../ui/terminal.ts";
import { hang, showPath, showSentence, stripControl } from "../ui/text.ts";

interface ResultReport {
  readonly rows: readonly ResultRow[];
  readonly root: string;
  readonly dryRun: boolean;
  readonly diagnostics?: readonly Diagnostic[];
  readonly tools?: readonly Readonly<Record<string, unknown>>[];
  readonly files?: ReadonlyMap<string, readonly string[]>;
  /** The command that does what nothing speaks against, where others kept it from being done. */
  readonly alone?: string | undefined;
  readonly nothing: string;
}

/** Prints what became of each name, as a document or for people, and gives the exit code. */
export function reportResults(context: CommandContext, report: ResultReport): ExitCode {
  const { rows, dryRun, diagnostics = [], tools = [] } = report;
  return answer(
    context,
    {
      ...(dryRun && { dryRun }),
      results: rows,
      ...(tools.length > 0 && { tools }),
      ...(diagnostics.length > 0 && { diagnostics }),
    },
    () => resultLines(context.terminal, report),
    rows.some(isRefusal) ? 1 : 0,
  );
}

function resultLines(terminal: Terminal, report: ResultReport): readonly string[] {
  const { rows, alone, dryRun } = report;
  // One cause is enough to read, and not once more for each of those that it kept from being done.
  const isLeft = ({ outcome }: ResultRow): boolean => outcome === "skipped" || outcome === "unchanged";
  const isStopped =
    rows.some(({ outcome }) => outcome === "skipped") &&
    rows.some((row) => isRefusal(row) && row.outcome !== "skipped") &&
    !rows.some(({ outcome }) => PLACED.has(outcome));
  const left = isStopped ? rows.filter(isLeft).length : 0;
  const were = left === 1 ? "1 other was left as it is." : `${left} others were left as they are.`;
  const again = alone === undefined ? "" : ` To do what can be done: ${alone}`;
  return [
    ...(rows.length === 0 ? [report.nothing] : []),
    ...rows.flatMap((row) => (left > 0 && isLeft(row) ? [] : rowLines(terminal, row, report))),
    ...hang(left > 0 ? `${were}${again}` : "", terminal),
    ...(dryRun ? ["Nothing was changed: this was a dry run."] : []),
  ];
}

function rowLines(layout: Layout, row: ResultRow, { root, dryRun, files }: ResultReport): readonly string[] {
  const { colours, environment } = layout;
  const { name, outcome, reason = "", resolved, digest, targets = [] } = row;
  const pin = resolved === undefined ? "" : `  ${colours.dim(stripControl(showPin(resolved, digest)))}`;
  const words = dryRun && !isRefusal(row) && !LEFT.has(outcome) ? `would be ${outcome}` : outcome;
  const moved = movedWords(row);
  const isPlaced = PLACED.has(outcome) && !dryRun;
  return [
    `${markOf(row, colours)} ${colours.bold(stripControl(name))}  ${words}${pin}`,
    ...(moved === undefined ? [] : [`    ${stripControl(moved)}`]),
    ...hang(showSentence(reason, environment), layout, { indent: 4 }),
    ...(isPlaced ? targets : []).map(({ path, how }) => {
      const place = showPath(isAbsolute(path) ? path : join(root, path), environment);
      return `    ${place}${how === "link" ? " (link)" : ""}`;
    }),
    ...(isPlaced ? fileTree(files?.get(name) ?? []) : []).map((line) => `      ${colours.dim(line)}`),
  ];
}

/** Says on standard error what was odd about a source; with `--json` the document has it. */
export function warnDiagnosticsOf(
  { terminal, json }: CommandContext,
  diagnostics: readonly Diagnostic[],
): void {
  if (json) return;
  // Style is its author's business, and `skillet validate` tells.
  for (const diagnostic of diagnostics.filter(({ severity }) => severity !== "info"))
    terminal.warn(diagnosticReport(diagnostic, { ...terminal.errors, file: diagnostic.file }));
}

// The lock follows the source, so that its change in version control has an explanation.
function movedWords({ outcome, resolved, before, digest }: ResultRow): string | undefined {
  if (outcome !== "unchanged" || resolved === undefined || before === undefined) return undefined;
  const [old, now] = [showPin(before, digest), showPin(resolved, digest)];
  return old === now ? undefined : `The lock moved from ${old} to ${now}; the files are the same.`;
}

const PLACED: ReadonlySet<string> = new Set(["installed", "restored", "updated", "rolled-back"]);
const LEFT: ReadonlySet<string> = new Set(["kept", "linked", "pinned", "unchanged"]);

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
  readonly findings: readonly Pick<
    Report["findings"][number],
    "rule" | "severity" | "file" | "line" | "message"
  >[];
  readonly moreFindings?: number;
}

/** One name in the documents of `install`, `update`, `remove` and `rollback`. */
export type ResultRow = Omit<HubResult, "outcome"> &
  Partial<RowInspection> & {
    readonly outcome: HubResult["outcome"] | "kept" | "pinned" | "linked";
    readonly before?: PlanItem["entry"]["resolved"];
  };

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
