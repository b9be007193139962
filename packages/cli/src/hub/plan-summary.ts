import { isAbsolute, join } from "node:path";
import type { LockedTarget, Plan, PlanItem, PluginParts, VersionChanges } from "@skillet/hub";
import { verdictMark, verdictPaint } from "../scan/verdict-mark.ts";
import { pad, wrap } from "../ui/fit-text.ts";
import type { Layout } from "../ui/layout.ts";
import { showPath, showSentence } from "../ui/show-path.ts";
import { count } from "../ui/skill-state.ts";
import { stripControl } from "../ui/strip-control.ts";
import { loadInstalling } from "./load-installing.ts";
import { showPin, showRef } from "./show-pin.ts";

const LABEL_WIDTH = 10;
const MAX_LINES = 6;
const MAX_LISTED = 6;
const MAX_ABILITIES = 12;

/** What a summary is laid out for. */
export interface SummaryLayout extends Layout {
  /** The lock's folder, which targets are relative to. */
  readonly root: string;
}

/** What a plan would do, for whoever has to say yes: each skill with verdict, abilities, places and what it replaces. */
export function planSummary({ items }: Pick<Plan, "items">, layout: SummaryLayout): readonly string[] {
  return items
    .filter(({ action }) => action !== "unchanged")
    .flatMap((item, index) => [...(index === 0 ? [] : [""]), ...itemLines(item, layout)]);
}

function itemLines(item: PlanItem, layout: SummaryLayout): readonly string[] {
  const { entry, before, changes, candidate, report, origin, decision } = item;
  const { colours } = layout;
  const field = (label: string, text: string, paint = (line: string): string => line): readonly string[] =>
    fieldLines(label, text, { layout, paint });
  const [worst] = report.findings;
  const isNew = before === undefined;
  return [
    titleLine(item, layout),
    ...field("from", `${entry.source} (${origin})`),
    ...(report.verdict === "safe" || worst === undefined
      ? []
      : field(
          report.verdict,
          `${worst.rule} ${worst.file}:${worst.line} ${worst.message}`,
          verdictPaint(report.verdict, colours),
        )),
    ...(isNew ? abilityLines(item, field) : []),
    ...(changes === undefined ? [] : changeLines(changes, field, layout)),
    ...partLines(candidate.parts, item, field),
    ...field("to", placesOf(entry.targets, layout)),
    ...(item.entry.linked === true ? field("linked", "the folder itself is used; edits count at once") : []),
    ...(decision.outcome === "ask" ? field("asks", decision.reason, colours.yellow) : []),
  ];
}

type Field = (label: string, text: string, paint?: (line: string) => string) => readonly string[];

function fieldLines(
  label: string,
  text: string,
  { layout, paint }: { readonly layout: Layout; readonly paint: (line: string) => string },
): readonly string[] {
  const width = layout.width - LABEL_WIDTH - 4;
  return wrap(showSentence(text, layout.environment), { width, maxLines: MAX_LINES }).map(
    (line, row) => `    ${layout.colours.dim(pad(row === 0 ? label : "", LABEL_WIDTH))}${paint(line)}`,
  );
}

/** `pdf 1.2.0  a1b2c3d [main]`, for an update `pdf a1b2c3d > 0f9e8d7 [main]`. */
function titleLine({ name, entry, before, candidate, report }: PlanItem, { colours }: Layout): string {
  const version = candidate.parts?.version ?? candidate.manifest?.metadata.version;
  const words = typeof version === "string" ? ` ${stripControl(version).slice(0, 40)}` : "";
  const pin = showPin(entry.resolved, entry.digest);
  const old = before && showPin(before.resolved, before.digest);
  const moved = old === undefined || old === pin ? pin : `${old} > ${pin}`;
  const ref = showRef(entry.resolved);
  const kind = entry.kind === "plugin" ? "  plugin" : "";
  const at = stripControl(`${moved}${ref === undefined || ref === pin ? "" : ` [${ref}]`}`);
  const verdict = verdictPaint(report.verdict, colours)(report.verdict);
  return `${verdictMark(report.verdict, colours)} ${colours.bold(stripControl(name))}${words}  ${at}${kind}  ${verdict}`;
}

function abilityLines({ entry }: PlanItem, field: Field): readonly string[] {
  const abilities = loadInstalling().abilitiesOf(entry);
  return abilities.length === 0
    ? []
    : field(
        "can",
        list(
          abilities.map(({ text }) => text),
          "; ",
          MAX_ABILITIES,
        ),
      );
}

function changeLines(changes: VersionChanges, field: Field, { colours }: Layout): readonly string[] {
  const { added, removed, changed, gained, lost } = changes;
  const files = [
    ...(changed.length > 0
      ? [`${count(changed.length, "file")} changed (${list(changed, ", ", MAX_LISTED)})`]
      : []),
    ...(added.length > 0 ? [`${added.length} added (${list(added, ", ", MAX_LISTED)})`] : []),
    ...(removed.length > 0 ? [`${removed.length} removed (${list(removed, ", ", MAX_LISTED)})`] : []),
  ];
  return [
    ...field("files", files.length === 0 ? "the same" : files.join(", ")),
    ...(gained.length > 0
      ? field(
          "now",
          list(
            gained.map(({ text }) => text),
            "; ",
            MAX_ABILITIES,
          ),
          colours.yellow,
        )
      : []),
    ...(lost.length > 0
      ? field(
          "no longer",
          list(
            lost.map(({ text }) => text),
            "; ",
            MAX_ABILITIES,
          ),
        )
      : []),
  ];
}

// What a plugin would do by itself is shown before the yes, and stays off after it.
function partLines(parts: PluginParts | undefined, { entry }: PlanItem, field: Field): readonly string[] {
  if (parts === undefined) return [];
  const { skills, commands, hooks, mcpServers } = parts;
  const state = (isOn: boolean | undefined): string => (isOn === true ? "on" : "off");
  const servers = mcpServers.map(({ name, command, url }) => `${name} (${command ?? url ?? "?"})`);
  return [
    ...field(
      "skills",
      skills.length === 0
        ? "none"
        : list(
            skills.map(({ name }) => name),
            ", ",
            MAX_ABILITIES,
          ),
    ),
    ...(commands.length > 0 ? field("commands", list(commands, ", ", MAX_LISTED)) : []),
    ...(hooks.length > 0
      ? field(
          `hooks ${state(entry.allowed?.hooks)}`,
          list(
            hooks.map(({ event, command }) => `${event}: ${command}`),
            "; ",
            MAX_LISTED,
          ),
        )
      : []),
    ...(servers.length > 0
      ? field(`mcp ${state(entry.allowed?.mcpServers)}`, list(servers, "; ", MAX_LISTED))
      : []),
  ];
}

/** Where a skill goes, such as `~/.skillet/plugins/pdf, ~/.claude/skills/pdf (link)`. */
export function placesOf(
  targets: readonly LockedTarget[],
  { root, environment }: Pick<SummaryLayout, "root" | "environment">,
): string {
  return targets
    .map(({ path, how }) => {
      const place = showPath(isAbsolute(path) ? path : join(root, path), environment);
      return how === "link" ? `${place} (link)` : place;
    })
    .join(", ");
}

function list(texts: readonly string[], separator: string, most: number): string {
  const rest = texts.length - most;
  return `${texts.slice(0, most).join(separator)}${rest > 0 ? ` and ${rest} more` : ""}`;
}
