import type { MissingRequirement, ResourceIndex, Skill } from "@skillet/core";
import { type Agent, tokenCost, type UseRules } from "@skillet/core/internal";
import type { InstalledSource } from "@skillet/hub";
import type { Digest } from "@skillet/kit/digest";
import { shellArgument } from "@skillet/kit/text";
import type { ScanResult } from "@skillet/scan";
import { titles } from "../hub/agent-changes.ts";
import { installedWords, type ProjectSource } from "../hub/installed-from.ts";
import { showDigest, showPin } from "../hub/report-results.ts";
import { findingBlock } from "../scan/skill-block.ts";
import { abilitiesIn, abilitySentence } from "../ui/ability-sentence.ts";
import { diagnosticSection } from "../ui/diagnostic-report.ts";
import {
  type Readers,
  readBy,
  STATE_WORDS,
  shownState,
  stateMark,
  stillLoaded,
  verdictWords,
} from "../ui/skill-state.ts";
import type { Layout } from "../ui/terminal.ts";
import {
  firstLines,
  formatBytes,
  formatTokens,
  hang,
  moreInJson,
  pad,
  pathArgument,
  sayingWhere,
  showPath,
  showSentence,
  spacedBlocks,
  stripControl,
  titleLines,
} from "../ui/text.ts";
import { type Decision, type SessionRows, type ToolsetRow, toolsetSection } from "./decisions.ts";

// A skill may contain thousands of files; `--json` lists them all.
const MAX_RESOURCES = 30;
const MAX_REQUIREMENTS = 50;
const MAX_FINDINGS = 3;
const MAX_REASON_LINES = 8;
const LABEL_WIDTH = 12;

export interface Facts {
  readonly skill: Skill;
  readonly index: ResourceIndex;
  readonly shadows: readonly Skill[];
  /** The skills that its header calls related; missing ones are marked. */
  readonly related: readonly string[];
  readonly installed: InstalledSource | undefined;
  readonly readers: Readers;
  /** Whether they are in use here or not. */
  readonly possibleReaders: readonly Agent[];
  readonly reported?: ProjectSource | undefined;
  /** The ids of the policy's keys that signed its current files. */
  readonly signedBy: readonly Digest[];
  /** A scan of the current files; `folder` is empty, so that findings show paths within the skill. */
  readonly scan: ScanResult;
  readonly requirements: readonly RequirementRow[];
  readonly rules: UseRules;
  readonly session: SessionRows;
  readonly toolsets: readonly ToolsetRow[];
  /** When its project was trusted, if that is a git repository. */
  readonly trustedAt: string | undefined;
  /** The text of SKILL.md, to show the lines that diagnostics point at. */
  readonly text: string;
}

export function explanation(facts: Facts, layout: Layout): string[] {
  return spacedBlocks([
    header(facts, layout),
    labelledSection("Why", stepRows(facts.session.decisions), layout),
    changeSection(facts, layout),
    findingSection(facts, layout),
    labelledSection("In a session", sessionFacts(facts.session), layout),
    requirementSection(facts.requirements, layout),
    toolsetSection(facts.toolsets, layout),
    resourceSection(facts.index, layout),
    diagnosticSection(
      [
        ...facts.skill.diagnostics,
        ...facts.index.diagnostics,
        ...facts.session.diagnostics,
        ...facts.toolsets.flatMap(({ diagnostics }) => diagnostics),
      ],
      { ...layout, texts: new Map([[facts.skill.path, facts.text]]) },
    ),
  ]);
}

function header(facts: Facts, layout: Layout): string[] {
  const { skill, index, shadows, installed, reported, signedBy } = facts;
  const { environment } = layout;
  const label = (text: string): string => `  ${layout.colours.dim(pad(text, LABEL_WIDTH))}`;
  const field = (name: string, value = ""): string[] =>
    hang(value, layout, { indent: LABEL_WIDTH + 2, maxLines: MAX_REASON_LINES, lead: label(name) });
  // Not wrapped even on a narrow screen, so that it can be copied.
  const whole = (name: string, value = ""): string[] =>
    hang(value, { ...layout, width: Number.POSITIVE_INFINITY }, { lead: label(name) });
  const fromLock = reported && `from ${reported.source} (${showPin(reported.resolved)})`;
  const { catalog, body } = tokenCost(skill);
  const { version, license, author, compatibility, ui } = skill.manifest;
  return [
    ...nameLines(facts, layout),
    ...hang(skill.manifest.description, layout, { indent: 2, maxLines: 12 }),
    "",
    ...field("can", abilitySentence(abilitiesIn(facts.scan.report.capabilities))),
    ...field("title", ui.displayName),
    ...field("in short", ui.shortDescription),
    ...field("version", version),
    ...field("author", author),
    ...field("license", license),
    ...field("works with", compatibility),
    ...field("prompt", ui.defaultPrompt),
    ...field("icons", [ui.iconSmall, ui.iconLarge, ui.emoji].filter((icon) => icon !== undefined).join(", ")),
    ...field("colour", ui.brandColor),
    ...field("tags", skill.manifest.tags.join(", ")),
    ...field("related", facts.related.join(", ")),
    ...field("scope", skill.scope),
    ...(skill.origin === "agent-created" ? field("made", "from a conversation, by skillet skillify") : []),
    ...field("file", showPath(skill.path, environment)),
    ...skill.alsoAt.flatMap((path) => field("also at", showPath(path, environment))),
    // No line limit, so that the command in it is not cut.
    ...hang(readerWords(facts), layout, { indent: LABEL_WIDTH + 2, lead: label("read by") }),
    ...field("installed", installedWords(installed)),
    ...field("reported", reported && `${fromLock}, as the project's lock says`),
    ...field("signed by", signedBy.map((key) => showDigest(key)).join(", ")),
    ...field("cost", `${formatTokens(catalog)} tokens in the catalogue, ${formatTokens(body)} when loaded`),
    ...shadows.flatMap(({ qualifiedName, path }) =>
      field("shadows", `${qualifiedName} (${showPath(path, environment)})`),
    ),
    ...field("shadowed by", skill.shadowedBy),
    ...whole("digest", index.treeDigest),
    ...whole("of SKILL.md", skill.digest),
  ];
}

function readerWords({ skill, readers, possibleReaders, session: { known } }: Facts): string {
  const loaded = stillLoaded(skill, known, readers);
  if (loaded !== undefined) return `${loaded.who}. To stop that: ${loaded.stop}`;
  const words = readBy(readers).replace(/^read by /, "");
  if (readers.loading.length > 0 || skill.scope === "bundled") return words;
  if (words !== "") return `no agent; ${words}`;
  const others = titles(possibleReaders.map(({ id }) => id));
  return `no agent in use here${others && `; it lies where ${others} would read it`}`;
}

function nameLines({ skill, session: { known }, rules, readers }: Facts, layout: Layout): string[] {
  const { colours } = layout;
  const state = shownState(skill, known, rules, readers);
  const words = `${STATE_WORDS[state]}${known?.approved === true ? ` (${verdictWords(known)})` : ""}`;
  const lead = `${stateMark(state, colours)} `;
  return titleLines([skill.qualifiedName, words], layout, { indent: 2, lead, paintName: colours.bold });
}

interface LabelledRow {
  readonly label: string;
  readonly text: string;
}

function labelledSection(title: string, rows: readonly LabelledRow[], layout: Layout): string[] {
  const { colours, environment } = layout;
  const labels = Math.max(0, ...rows.map(({ label }) => label.length)) + 2;
  const lines = rows.flatMap(({ label, text }) =>
    hang(sayingWhere(showSentence(text, environment), layout), layout, {
      indent: labels + 2,
      maxLines: MAX_REASON_LINES,
      lead: `  ${colours.dim(pad(label, labels))}`,
    }),
  );
  return [colours.bold(title), ...lines];
}

/** Trust stores digests, not files, so only version control can show the change itself. */
function changeSection({ skill, session, trustedAt }: Facts, layout: Layout): string[] {
  if (session.known?.changed === undefined || trustedAt === undefined) return [];
  // What git had checked out then, by its reflog: pulled commits are older than the pull that brought them.
  const then = `HEAD@{${trustedAt.slice(0, "2026-01-01T00:00:00".length).replace("T", " ")} +0000}`;
  const path = pathArgument(skill.directory, layout.environment);
  return [
    "If git tracks it, this shows what changed since you trusted it:",
    `  ${layout.colours.cyan(stripControl(`git -C ${path} diff ${shellArgument(then)} -- .`))}`,
  ];
}

function findingSection({ skill, scan }: Facts, layout: Layout): string[] {
  const found = scan.report.findings.filter(({ severity }) => severity !== "info");
  const rest = found.length - MAX_FINDINGS;
  if (found.length === 0) return [];
  const narrow = { ...layout, width: layout.width - 2, lineWidth: layout.width - 2 };
  return [
    layout.colours.bold("Found by the scan"),
    ...found
      .slice(0, MAX_FINDINGS)
      .flatMap((one) => findingBlock(one, scan, narrow).map((line) => `  ${line}`)),
    ...(rest > 0 ? [`  and ${rest} more`] : []),
    `  in full: ${layout.colours.cyan(sayingWhere(`skillet scan ${stripControl(shellArgument(skill.qualifiedName))}`, layout))}`,
  ];
}

/** Shows only once what stops a skill; a skill that is not offered has no line for the catalogue either. */
function stepRows(decisions: readonly Decision[]): readonly LabelledRow[] {
  const last = decisions.at(-1);
  const isOffered = last?.cause === undefined;
  return decisions.flatMap((one) => {
    const { what: label, outcome, reason } = one;
    if (label === "budget" && !isOffered) return [];
    const stop = decisions.find((other) => other.cause !== undefined && other.reason === reason);
    // The outcome before it already says the verdict.
    const own = reason.replace(/^the scan calls it \w+: /, "");
    const why = one === last && stop !== undefined ? `stopped by "${stop.what}" above` : own;
    return [{ label, text: `${outcome}: ${why}` }];
  });
}

function sessionFacts({ tools, modes }: SessionRows): readonly LabelledRow[] {
  const { allowed, disallowed } = tools;
  const narrowed = allowed?.length === 0 ? "none" : allowed?.join(", ");
  return [
    {
      label: "tools",
      text: narrowed === undefined ? "as the session permits them" : `narrowed to ${narrowed}`,
    },
    ...(disallowed.length > 0 ? [{ label: "denied", text: disallowed.join(", ") }] : []),
    ...modes
      .filter(({ reason }, index) => index > 0 && (reason === undefined || reason !== modes[0]?.reason))
      .map(({ mode, outcome, reason }) => ({
        label: `${mode} mode`,
        text: reason === undefined ? outcome : `${outcome}: ${reason}`,
      })),
  ];
}

function requirementSection(requirements: readonly RequirementRow[], layout: Layout): string[] {
  const { bold, green, red } = layout.colours;
  if (requirements.length === 0) return [];
  return [
    bold("Needs"),
    ...firstLines(
      requirements,
      MAX_REQUIREMENTS,
      ({ kind, names, met }) =>
        hang(`${KINDS[kind]} ${kind === "any-command" ? "one of " : ""}${names.join(", ")}`, layout, {
          indent: 4,
          lead: `  ${met ? green("✓") : red("✗")} `,
          maxLines: MAX_REASON_LINES,
        }),
      moreInJson(layout),
    ),
  ];
}

const KINDS: Readonly<Record<RequirementRow["kind"], string>> = {
  platform: "platform",
  command: "command",
  "any-command": "command",
  environment: "environment variable",
  config: "config value",
  "credential-file": "credential file",
  mcp: "MCP server",
  skill: "skill",
  tool: "tool",
};

function resourceSection({ resources }: ResourceIndex, layout: Layout): string[] {
  const { bold, dim } = layout.colours;
  if (resources.length === 0) return [];
  return [
    bold("Files"),
    ...firstLines(
      resources,
      MAX_RESOURCES,
      ({ path, kind, size, script }) => {
        const facts = [kind, formatBytes(size), ...(script ? [script.runtime] : [])].join(", ");
        return titleLines([path, facts], layout, { indent: 2, lead: "  ", paint: dim });
      },
      moreInJson(layout),
    ),
  ];
}

interface RequirementRow {
  readonly kind: MissingRequirement["kind"];
  /** One name; for any-of requirements, all the alternatives. */
  readonly names: readonly string[];
  readonly met: boolean;
  readonly message?: string;
}

export function requirementRows(skill: Skill): readonly RequirementRow[] {
  const { gating } = skill.manifest;
  const each = (kind: RequirementRow["kind"], names: readonly string[]): RequirementRow[] =>
    names.map((name) => row(skill, kind, [name]));
  const any = (kind: RequirementRow["kind"], names: readonly string[]): RequirementRow[] =>
    names.length === 0 ? [] : [row(skill, kind, names)];
  const environment = gating.env.filter(({ optional }) => optional !== true).map(({ name }) => name);
  const servers = gating.mcp.map(({ name }) => name);
  return [
    ...any("platform", gating.os),
    ...each("command", gating.bins),
    ...any("any-command", gating.anyBins),
    ...each("environment", environment),
    ...each("config", gating.config),
    ...each("credential-file", gating.credentialFiles),
    ...each("mcp", servers),
    ...each("skill", gating.skills),
    ...each("tool", [...gating.requiresTools, ...gating.requiresToolsets]),
  ];
}

function row(skill: Skill, kind: RequirementRow["kind"], names: readonly string[]): RequirementRow {
  const missing = skill.missing.find(
    (candidate) => candidate.kind === kind && names.some((name) => candidate.names.includes(name)),
  );
  return { kind, names, met: missing === undefined, ...(missing && { message: missing.message }) };
}
