import { type ResourceIndex, type Skill, tokenCost } from "@skillet/core";
import { pad, truncate, wrap } from "../ui/fit-text.ts";
import { formatBytes, formatTokens } from "../ui/format-quantity.ts";
import type { Layout } from "../ui/layout.ts";
import { showPath } from "../ui/show-path.ts";
import { stateMark } from "../ui/skill-state.ts";
import { stripControl } from "../ui/strip-control.ts";
import type { Decision } from "./decisions.ts";
import { diagnosticSection } from "./diagnostic-section.ts";
import type { RequirementRow } from "./requirements.ts";

// A skill may hold thousands of files; `--json` has them all.
const MAX_RESOURCES = 30;
const MAX_REQUIREMENTS = 50;
const MAX_REASON_LINES = 8;
const LABEL_WIDTH = 12;

/** Everything `explain` knows about a skill. */
export interface Facts {
  readonly skill: Skill;
  readonly index: ResourceIndex;
  readonly shadows: readonly string[];
  readonly requirements: readonly RequirementRow[];
  readonly decisions: readonly Decision[];
  /** The SKILL.md, to show the lines that diagnostics point at. */
  readonly text: string;
}

/** The explanation of one skill for people. */
export function explanation(facts: Facts, layout: Layout): string[] {
  const sections = [
    header(facts, layout),
    decisionSection(facts.decisions, layout),
    requirementSection(facts.requirements, layout),
    resourceSection(facts.index, layout),
    diagnosticSection([...facts.skill.diagnostics, ...facts.index.diagnostics], {
      ...layout,
      texts: new Map([[facts.skill.path, facts.text]]),
    }),
  ].filter((section) => section.length > 0);
  return sections.flatMap((section, index) => (index === 0 ? section : ["", ...section]));
}

function header(facts: Facts, layout: Layout): string[] {
  const { skill, index, shadows } = facts;
  const { colours, width } = layout;
  const field = (label: string, value: string): string[] =>
    wrap(value, { width: width - LABEL_WIDTH - 2, maxLines: MAX_REASON_LINES }).map(
      (line, row) => `  ${colours.dim(pad(row === 0 ? label : "", LABEL_WIDTH))}${line}`,
    );
  const { catalog, body } = tokenCost(skill);
  return [
    `${stateMark(skill.state, colours)} ${colours.bold(truncate(stripControl(skill.qualifiedName), width - 16))}  ${skill.state}`,
    ...wrap(stripControl(skill.manifest.description), { width: width - 2, maxLines: 12 }).map(
      (line) => `  ${line}`,
    ),
    "",
    ...field("scope", skill.scope),
    ...field("file", showPath(skill.path, layout.environment)),
    ...skill.alsoAt.flatMap((path) => field("also at", showPath(path, layout.environment))),
    ...field("cost", `${formatTokens(catalog)} tokens in the catalogue, ${formatTokens(body)} when loaded`),
    ...(shadows.length > 0 ? field("shadows", stripControl(shadows.join(", "))) : []),
    ...(skill.shadowedBy === undefined ? [] : field("shadowed by", stripControl(skill.shadowedBy))),
    ...field("digest", truncate(index.treeDigest ?? skill.digest, width - LABEL_WIDTH - 2)),
  ];
}

function decisionSection(decisions: readonly Decision[], layout: Layout): string[] {
  const { colours, width } = layout;
  const labels = Math.max(...decisions.map(({ what }) => what.length)) + 2;
  const lines = decisions.flatMap(({ what, outcome, reason }) => {
    const text = `${outcome}: ${stripControl(reason)}`;
    return wrap(text, { width: width - labels - 2, maxLines: MAX_REASON_LINES }).map(
      (line, row) => `  ${colours.dim(pad(row === 0 ? what : "", labels))}${line}`,
    );
  });
  return [colours.bold("Why"), ...lines];
}

function requirementSection(requirements: readonly RequirementRow[], layout: Layout): string[] {
  const { colours, width } = layout;
  if (requirements.length === 0) return [];
  const lines = requirements.slice(0, MAX_REQUIREMENTS).map(({ kind, names, met }) => {
    const mark = met ? colours.green("✓") : colours.red("✗");
    const words = kind === "any-command" ? `one of ${names.join(", ")}` : names.join(", ");
    return `  ${mark} ${truncate(`${KINDS[kind]} ${stripControl(words)}`, width - 4)}`;
  });
  const rest = requirements.length - lines.length;
  return [
    colours.bold("Needs"),
    ...lines,
    ...(rest > 0 ? [colours.dim(`  and ${rest} more: --json lists all`)] : []),
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

function resourceSection(index: ResourceIndex, layout: Layout): string[] {
  const { colours, width } = layout;
  const { resources } = index;
  if (resources.length === 0) return [];
  const lines = resources.slice(0, MAX_RESOURCES).map(({ path, kind, size, script }) => {
    const facts = [kind, formatBytes(size), ...(script ? [script.runtime] : [])].join(", ");
    const shown = truncate(stripControl(path), Math.max(10, width - facts.length - 6));
    return `  ${shown}  ${colours.dim(facts)}`;
  });
  const rest = resources.length - lines.length;
  return [
    colours.bold("Files"),
    ...lines,
    ...(rest > 0 ? [colours.dim(`  and ${rest} more: --json lists all`)] : []),
  ];
}
