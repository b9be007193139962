import { isAbsolute, join } from "node:path";
import type { DoneItem, LockEntry, LockedTarget, PlannedItem, Resolved } from "@skillet/hub";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { listFirst, shellArgument } from "@skillet/kit/text";
import { againWith, answer, type CommandContext, type ExitCode } from "../context/command-context.ts";
import { diagnosticReport } from "../ui/diagnostic-report.ts";
import type { Layout } from "../ui/terminal.ts";
import { hang, listAll, showPath, showSentence, stripControl, titleLines } from "../ui/text.ts";

export interface ResultReport {
  readonly rows: readonly ResultRow[];
  readonly root: string;
  readonly dryRun: boolean;
  readonly diagnostics?: readonly Diagnostic[];
  readonly tools?: readonly Readonly<Record<string, unknown>>[];
  readonly files?: ReadonlyMap<string, readonly string[]>;
  readonly nothing: string;
  /** Names that were refused while the others went on. */
  readonly failed?: ReadonlySet<string>;
}

export function reportResults(context: CommandContext, report: ResultReport): ExitCode {
  const { rows, dryRun, diagnostics = [], tools = [] } = report;
  return answer(
    context,
    {
      ...(dryRun && { dryRun }),
      results: rows.map(({ state: _, ...row }) => row),
      ...(tools.length > 0 && { tools }),
      ...(diagnostics.length > 0 && { diagnostics }),
    },
    () => resultLines(context, report),
    rows.some(isRefusal) ? 1 : 0,
  );
}

function resultLines(context: CommandContext, report: ResultReport): readonly string[] {
  const { terminal } = context;
  const { rows, dryRun, failed } = report;
  const skipped = rows.filter(({ outcome }) => outcome === "skipped");
  const stopping = rows.filter(
    (row) => isRefusal(row) && !skipped.includes(row) && failed?.has(row.name) !== true,
  );
  // If one refusal stopped everything, its reason is shown once instead of once per skill.
  const isStopped =
    stopping.length > 0 && skipped.length > 0 && !rows.some(({ outcome }) => PLACED.has(outcome));
  const isHidden = ({ outcome, reason }: ResultRow): boolean =>
    isStopped && (outcome === "skipped" || (outcome === "unchanged" && reason === undefined));
  const nothing = `Nothing ${dryRun ? "would be" : "was"} changed, because of ${namesOf(stopping)}. Also not done: ${namesOf(skipped)}.`;
  const done = rows.filter((row) => !isRefusal(row) && !LEFT.has(row.outcome));
  const not = rows.filter(isRefusal);
  const isClosed = !isStopped && !dryRun && rows.length > 1 && not.length > 0;
  const without = stopping.length === 1 ? "it" : "them";
  return [
    ...(rows.length === 0 ? [report.nothing] : []),
    ...rows.flatMap((row) => (isHidden(row) ? [] : rowLines(terminal, row, report))),
    ...hang(isStopped ? `${nothing} To do the rest without ${without}:` : "", terminal),
    ...(isStopped ? [`  ${againWith(context, "--keep-going")}`] : []),
    ...hang(isClosed ? `Done: ${namesOf(done) || "nothing"}. Not done: ${namesOf(not)}.` : "", terminal),
    ...newerTagLines(rows, terminal),
    ...(dryRun ? ["Nothing was changed: this was a dry run."] : []),
  ];
}

const MAX_NAMED = 12;

function namesOf(rows: readonly ResultRow[]): string {
  const names = rows.map(({ name }) => name);
  return stripControl(listFirst(names, MAX_NAMED));
}

function rowLines(layout: Layout, row: ResultRow, { root, dryRun, files }: ResultReport): readonly string[] {
  const { colours, environment } = layout;
  const { name, outcome, reason = "", resolved, before, digest, targets = [], source, followed } = row;
  const isNo = isRefusal(row);
  const isLeft = LEFT.has(outcome);
  const isPlaced = PLACED.has(outcome) && !dryRun;
  const was = isPlaced || dryRun ? "" : "was in ";
  const done = dryRun ? PLANNED_MARK : colours.green("✓");
  const mark = isNo ? colours.red("✗") : isLeft ? colours.dim("○") : done;
  const words = dryRun && !isNo && !isLeft ? `would be ${outcome}` : outcome;
  const pin = resolved && stripControl(showPin(resolved, digest));
  const old = before && stripControl(showPin(before, digest));
  const moved = dryRun ? "would move" : "moved";
  const come = dryRun ? `would come from ${source}` : `come from ${source} now`;
  // The lock follows the source; this explains its change in version control.
  const isMoved = outcome === "unchanged" && pin !== undefined && old !== undefined && old !== pin;
  return [
    ...titleLines([name, `${words}${pin === undefined ? "" : `  ${pin}`}`], layout, {
      indent: 2,
      lead: `${mark} `,
      paintName: colours.bold,
    }),
    ...[
      isMoved ? `The lock ${moved} from ${old} to ${pin}; the files are the same.` : "",
      isNo || followed === undefined ? "" : `Updates ${come}; before: ${followed}`,
      dryRun ? withoutLook(reason) : reason,
    ].flatMap((text) => hang(showSentence(text, environment), layout, { indent: 4 })),
    ...(isPlaced || outcome === "removed" ? targets : []).flatMap((target) =>
      hang(`${was}${showTarget(target, { root, environment })}`, layout, { indent: 4 }),
    ),
    ...(isPlaced ? fileTree(files?.get(name) ?? []) : []).map((line) => `      ${colours.dim(line)}`),
  ];
}

/** Removes the advice on how to look at a skill, for screens that show it already. */
export function withoutLook(reason: string): string {
  return reason
    .replace(/To look at it: `[^`]*`\. /, "")
    .replace(/Look at it with `[^`]*`, then pass/, "Pass");
}

/** Lists tags newer than those that skills stay at, with one command per source. */
export function newerTagLines(
  rows: readonly Pick<DoneItem, "name" | "newerTag">[],
  layout: Layout,
): readonly string[] {
  const say = (text: string): string[] => hang(showSentence(text, layout.environment), layout);
  const kept = rows.flatMap(({ name, newerTag }) =>
    newerTag?.refused === undefined
      ? []
      : say(
          `${name} stays at its tag; ${newerTag.tag} is newer, but ${newerTag.refused === "" ? "no longer has it." : `refused. ${newerTag.refused}`}`,
        ),
  );
  const newer = rows.flatMap(({ name, newerTag }) => {
    if (newerTag === undefined || newerTag.refused !== undefined) return [];
    const { tag, source, command } = newerTag;
    const isPick = source.endsWith(`@${name}`);
    const from = shellArgument(source.slice(0, isPick ? -name.length - 1 : undefined));
    return [{ name, tag, command, from, whole: command.replace(shellArgument(source), () => from) }];
  });
  const told = newer.flatMap(({ from, tag, command, whole }, index) => {
    const names = newer.flatMap((one) => (one.whole === whole ? [one.name] : []));
    if (newer.findIndex((one) => one.whole === whole) < index) return [];
    const picks = names.map((name) => ` --skill ${shellArgument(name)}`).join("");
    const all = whole.replace(from, () => `${from}${picks}`);
    const [stay, install] = names.length === 1 ? ["stays at its tag", command] : ["stay at their tag", all];
    return say(`${listAll(names)} ${stay}; ${tag} is newer: ${install}`);
  });
  return [...told, ...kept];
}

/** Shows where a skill goes, for example `~/.claude/skills/pdf (link)`; `root` is the lock's folder. */
export function showTarget(
  { path, how }: LockedTarget,
  { root, environment }: Pick<Layout, "environment"> & { readonly root: string },
): string {
  const place = showPath(isAbsolute(path) ? path : join(root, path), environment);
  return how === "link" ? `${place} (link)` : place;
}

/** Prints warnings about a source; with `--json` they are in the document. */
export function warnDiagnosticsOf(
  { terminal, json }: CommandContext,
  diagnostics: readonly Diagnostic[],
): void {
  if (json) return;
  // Style notes are for the skill's author, who has `skillet validate`.
  for (const diagnostic of diagnostics.filter(({ severity }) => severity !== "info"))
    terminal.warn(diagnosticReport(diagnostic, { ...terminal.errors, file: diagnostic.file }));
}

/** For planned changes; a tick marks finished ones. */
export const PLANNED_MARK = "→";

const PLACED: ReadonlySet<string> = new Set(["installed", "adopted", "restored", "updated", "rolled-back"]);
const LEFT: ReadonlySet<string> = new Set(["kept", "linked", "pinned", "unchanged"]);

const MAX_LINES = 12;

/** Shows the top level of a file tree with a file count per folder; a skill may have thousands of files. */
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

type Report = PlannedItem["report"];

/** One name in the documents of `install`, `update`, `remove` and `rollback`, with its scan results. */
export interface ResultRow
  extends Omit<DoneItem, "state" | "outcome">,
    Partial<Pick<DoneItem, "state">>,
    Partial<Pick<Report, "verdict" | "capabilities">> {
  readonly outcome: DoneItem["outcome"] | "kept" | "pinned" | "linked" | "adopted";
  readonly before?: PlannedItem["entry"]["resolved"];
  /** The previous source of updates, if another one was named. */
  readonly followed?: string;
  readonly origin?: PlannedItem["origin"];
  readonly findings?: readonly Pick<
    Report["findings"][number],
    "rule" | "severity" | "file" | "line" | "message"
  >[];
  readonly moreFindings?: number;
}

export function isRefusal({ outcome }: ResultRow): boolean {
  return ["blocked", "refused", "failed", "declined", "skipped"].includes(outcome);
}

const SHORT_COMMIT = 7;
const SHORT_DIGEST = 12;

/** Shows the version briefly: a commit, a version or the beginning of a digest. */
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

export function allowAdvice(
  items: readonly PlannedItem[],
  command: (words: string) => string,
): readonly string[] {
  return items.flatMap(({ name, action, parts, entry: { allowed } }) => {
    if (action === "unchanged" || parts === undefined) return [];
    const off = [
      ...(parts.hooks.length > 0 && allowed?.hooks !== true ? [["hooks", "--hooks"]] : []),
      ...(parts.mcpServers.length > 0 && allowed?.mcpServers !== true ? [["MCP servers", "--mcp"]] : []),
    ];
    if (off.length === 0) return [];
    const [what, flags] = [off.map(([part]) => part).join(" and "), off.map(([, flag]) => flag).join(" ")];
    return [`The ${what} of ${name} are off. To turn them on: ${command(`allow ${name} ${flags}`)}`];
  });
}
