import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type {
  Drift,
  FileDifference,
  JudgedItem,
  LockEntry,
  Plan,
  PlannedItem,
  PluginParts,
  RefusedItem,
  VersionChanges,
} from "@skillet/hub";
import { listFirst } from "@skillet/kit/text";
import { loadInstalling } from "../load-beside.ts";
import { abilitySentence } from "../ui/ability-sentence.ts";
import { verdictPaint } from "../ui/skill-state.ts";
import type { Layout, LineLayout } from "../ui/terminal.ts";
import {
  count,
  firstLines,
  hang,
  pad,
  showControl,
  showSentence,
  spacedBlocks,
  stripControl,
  titleLines,
  wrap,
} from "../ui/text.ts";
import { titles } from "./agent-changes.ts";
import { PLANNED_MARK, showDigest, showPin, showRef, showTarget } from "./report-results.ts";

const LABEL_WIDTH = 10;
const MAX_LINES = 6;
const MAX_LISTED = 6;
const MAX_DECISIVE = 12;
const MAX_FINDINGS = 100;

interface SummaryLayout extends LineLayout {
  /** The lock's folder, which targets are relative to. */
  readonly root: string;
  /** Nothing is installed, so blocked items are shown as fully as the rest. */
  readonly dryRun?: boolean;
  readonly discardEdits?: boolean;
  /** Changes in the files of updates, by name. */
  readonly differences?: ReadonlyMap<string, readonly FileDifference[]>;
}

export function planSummary(
  { items, refusals = [], failed = [] }: Pick<Plan, "items"> & Partial<Plan>,
  layout: SummaryLayout,
): readonly string[] {
  const refused = layout.dryRun === true ? [...refusals, ...failed] : [];
  return spacedBlocks([
    ...items.filter(isShown).map((item) => itemLines(item, layout)),
    ...refused.map((refusal) =>
      refusal.judged === undefined ? [] : blockedLines(refusal, refusal.judged, layout),
    ),
  ]);
}

/** Whether the user must agree: also for unchanged files if updates would come from another source. */
export function isShown({ action, entry, installed }: PlannedItem): boolean {
  return action !== "unchanged" || (installed !== undefined && installed.entry.source !== entry.source);
}

function itemLines(item: PlannedItem, layout: SummaryLayout): readonly string[] {
  const { entry, installed, parts, signed, report, decision, takenFrom } = item;
  const { yellow } = layout.colours;
  const field = fieldsOf(layout);
  const edits = layout.discardEdits === true ? (installed?.drift ?? []).filter(loadInstalling().isEdit) : [];
  const targets = entry.targets.map((target) => {
    // An adopted folder already exists, and is copied to the library.
    const isThere = installed === undefined && existsSync(resolve(layout.root, target.path));
    return `${showTarget(target, layout)}${isThere ? " (stays as it is)" : ""}`;
  });
  return [
    ...planTitle({ ...item, pin: pinsOf(item) }, layout),
    ...field("from", `${entry.source} (${whose(item)})`),
    ...field("before", installed && installed.entry.source !== entry.source ? installed.entry.source : ""),
    ...field("lies at", takenFrom, { whole: true }),
    ...findingLines(report, field, { ...layout, isWhole: layout.dryRun === true }),
    // Shows only keys that the policy names: a stranger's signature must not look like a recommendation.
    ...field("signed by", (signed?.signers ?? []).map((key) => showDigest(key)).join(", "), { whole: true }),
    ...(installed === undefined ? abilityLines(item, field) : changeLines(installed.changes, field, layout)),
    ...differenceLines(layout.differences?.get(item.name) ?? [], "there", { ...layout, name: item.name }),
    ...partLines(parts, entry.allowed, field),
    ...field("to", targets.join(", ")),
    ...field("not for", unlinkedWords(item), { whole: true }),
    ...field("loses", edits.length === 0 ? "" : `edits of ${driftWords(edits)}`, {
      paint: yellow,
      whole: true,
    }),
    ...field("linked", entry.linked === true ? "the folder itself is used; edits count at once" : ""),
    ...field("forced", installed?.overridden.join("; "), { paint: yellow, whole: true }),
    ...field("asks", decision.outcome === "ask" ? decision.reason : "", { paint: yellow }),
  ];
}

function unlinkedWords({ unlinked = [] }: PlannedItem): string {
  const agentsBy = (reason: string): string[] =>
    unlinked.flatMap(({ agent, why }) => (why === reason ? [agent] : []));
  const reasons = [...new Set(unlinked.map(({ why }) => why))];
  return reasons.map((why) => `${titles(agentsBy(why))}: ${why}`).join("; ");
}

function blockedLines(
  { name, source }: RefusedItem,
  judged: JudgedItem,
  layout: SummaryLayout,
): readonly string[] {
  const { report, parts } = judged;
  const field = fieldsOf(layout);
  return [
    ...planTitle({ ...judged, name, pin: showPin(judged.resolved, judged.digest) }, layout),
    ...field("from", `${source} (${whose(judged)})`),
    ...findingLines(report, field, { ...layout, isWhole: true }),
    ...abilityLines(judged, field),
    ...differenceLines(layout.differences?.get(name) ?? [], "there", { ...layout, name }),
    ...partLines(parts, undefined, field),
  ];
}

function whose({ origin, untrusted }: Pick<JudgedItem, "origin" | "untrusted">): string {
  return untrusted === undefined ? origin : `${origin}: ${untrusted} is not trusted`;
}

function findingLines(
  { verdict, findings }: PlannedItem["report"],
  field: Field,
  { colours, isWhole }: Pick<Layout, "colours"> & { readonly isWhole: boolean },
): readonly string[] {
  if (verdict === "safe") return [];
  const decisive = verdict === "dangerous" ? "critical" : "warn";
  const rows = findings.filter(({ severity }) => severity === decisive || isWhole);
  const most = isWhole ? MAX_FINDINGS : MAX_DECISIVE;
  const rest = rows.length - most;
  const lines = rows.slice(0, most).flatMap(({ rule, file, line, message, severity }, index) => {
    const paint = severity === decisive ? verdictPaint(verdict, colours) : String;
    return field(index === 0 ? verdict : "", `${rule} ${file}:${line} ${message}`, { paint });
  });
  return [...lines, ...(rest > 0 ? field("", `and ${rest} more`) : [])];
}

interface FieldOptions {
  readonly paint?: (line: string) => string;
  /** Never cut, however long: nothing that the user agrees to may hide at the end of a list. */
  readonly whole?: true;
}

type Field = (label: string, text: string | undefined, options?: FieldOptions) => readonly string[];

function fieldsOf(layout: Layout): Field {
  return (label, text = "", { paint = String, whole } = {}) =>
    hang(showSentence(text, layout.environment), layout, {
      indent: LABEL_WIDTH + 4,
      lead: `    ${layout.colours.dim(pad(label, LABEL_WIDTH))}`,
      paint,
      ...(whole !== true && { maxLines: MAX_LINES }),
    });
}

/** For example `pdf 1.2.0  a1b2c3d [main]`, or for an update `pdf a1b2c3d > 0f9e8d7 [main]`. */
function planTitle(
  item: Pick<JudgedItem, "name" | "kind" | "parts" | "manifest" | "report"> & { readonly pin: string },
  layout: Layout,
): readonly string[] {
  const { name, report, parts, manifest, pin } = item;
  const version = parts?.version ?? manifest?.metadata.version;
  const words = typeof version === "string" ? ` ${stripControl(version).slice(0, 40)}` : "";
  const kind = item.kind === "plugin" ? "  plugin" : "";
  return titleLines([`${name}${words}`, `${stripControl(pin)}${kind}  ${report.verdict}`], layout, {
    indent: 2,
    lead: `${PLANNED_MARK} `,
    paintName: layout.colours.bold,
    paint: verdictPaint(report.verdict, layout.colours),
  });
}

export function pinsOf(
  { entry, installed }: PlannedItem,
  { backwards = false }: { readonly backwards?: boolean } = {},
): string {
  const [next, before] = backwards && installed ? [installed.entry, entry] : [entry, installed?.entry];
  const pin = showPin(next.resolved, next.digest);
  const old = before && showPin(before.resolved, before.digest);
  const moved = old === undefined || old === pin ? pin : `${old} > ${pin}`;
  const ref = showRef(next.resolved);
  return `${moved}${ref === undefined || ref === pin ? "" : ` [${ref}]`}`;
}

function abilityLines(item: JudgedItem | PlannedItem, field: Field): readonly string[] {
  return field("can", abilitySentence(loadInstalling().firstAbilities(item)), { whole: true });
}

export function changeWords({ installed }: PlannedItem, layout: Layout): readonly string[] {
  return installed === undefined ? [] : changeLines(installed.changes, fieldsOf(layout), layout);
}

function changeLines(changes: VersionChanges, field: Field, { colours }: Layout): readonly string[] {
  const { added, removed, changed, gained, lost } = changes;
  const named = (paths: readonly string[], text: string): readonly string[] =>
    paths.length === 0 ? [] : [`${text} (${listFirst(paths, MAX_LISTED)})`];
  const files = [
    ...named(changed, `${count(changed.length, "file")} changed`),
    ...named(added, `${added.length} added`),
    ...named(removed, `${removed.length} removed`),
  ];
  return [
    ...field("files", files.length === 0 ? "the same" : files.join(", ")),
    ...field("now", abilitySentence(gained, { whole: true }), { paint: colours.yellow, whole: true }),
    ...field("no longer", abilitySentence(lost)),
  ];
}

// Parts of a plugin that run by themselves are shown before the user agrees, and stay off afterwards.
function partLines(
  parts: PluginParts | undefined,
  allowed: LockEntry["allowed"],
  field: Field,
): readonly string[] {
  if (parts === undefined) return [];
  const { skills, commands, agents, instructions, settings, hooks, mcpServers } = parts;
  const state = (isOn: boolean | undefined): string => (isOn === true ? "on" : "off");
  const servers = mcpServers.map(({ name, command, url }) => `${name} (${command ?? url ?? "?"})`);
  const events = hooks.map(({ event, command }) => `${event}: ${command}`);
  const names = skills.map(({ name }) => name).join(", ");
  return [
    ...field("skills", names === "" ? "none" : names, { whole: true }),
    ...field("commands", listFirst(commands, MAX_LISTED)),
    ...field("agents", listFirst(agents, MAX_LISTED)),
    ...field("tells", instructions.join(", "), { whole: true }),
    ...field("sets", settings.join("; "), { whole: true }),
    ...field(`hooks ${state(allowed?.hooks)}`, events.join("; "), { whole: true }),
    ...field(`mcp ${state(allowed?.mcpServers)}`, servers.join("; "), { whole: true }),
  ];
}

const MAX_NAMED = 5;

export function driftWords(drift: readonly Drift[]): string {
  const words = drift.map(({ target, file, kind }) => `${file === "" ? target : file} (${kind})`);
  return stripControl(listFirst(words, MAX_NAMED));
}

/** Who changed the installed version: `here` is the user on this disk, `there` another version. */
type Side = "here" | "there";

/** The first is for questions, the second for requested diffs; nobody reads more, and `--json` has all. */
const [MAX_SHORT, MAX_DIFFERENCE_LINES] = [30, 2_000];

/**
 * Shows differences file by file, with terminal control characters made visible. For `there`, long lines are
 * broken but never cut, and each part repeats its line's mark, so that no addition passes for existing text.
 */
export function differenceLines(
  differences: readonly FileDifference[],
  side: Side,
  { colours, lineWidth, name }: LineLayout & { readonly name?: string },
): string[] {
  const shown = differences.filter((one) => one[side] !== "unchanged");
  const lines = shown.flatMap(({ path, [side]: change, [`${side}Diff` as const]: diff }) => [
    `    ${colours.bold(stripControl(path))}  ${change}`,
    ...(diff ?? NO_TEXT).split("\n").flatMap((line) => {
      const paint = line.startsWith("+") ? colours.green : line.startsWith("-") ? colours.red : colours.dim;
      const mark = /^[-+ ]?/.exec(line)?.[0] ?? "";
      const parts = wrap(showControl(line.slice(mark.length)), { width: lineWidth - 7 });
      return (parts.length === 0 ? [""] : parts).map((part) => `      ${paint(`${mark}${part}`)}`.trimEnd());
    }),
  ]);
  const most = name === undefined ? MAX_DIFFERENCE_LINES : MAX_SHORT;
  const more = name === undefined ? "--json has them" : `skillet diff ${stripControl(name)}`;
  return firstLines(lines, most, String, (rest) => `    ${rest} more lines: ${more}`);
}

const NO_TEXT = "only its mode changed, or it is not text that can be compared";
