import type { SelectContext, SelectedSkill, Selector, Session, Skill, Skills } from "@skillet/core";
import { visibleSkills } from "@skillet/core/internal";
import { CliError, type CommandContext, type ExitCode } from "../context/command-context.ts";
import { openRegistry, openSelector } from "../context/open-registry.ts";
import { diagnosticRow, printJson } from "../ui/json-document.ts";
import { emptyState, warnDiagnostics } from "../ui/skill-notices.ts";
import type { Colours, Layout } from "../ui/terminal.ts";
import { count, displayWidth, pad, stripControl, wrap } from "../ui/text.ts";

/** What to look for, and how much of it. */
export interface SearchOptions {
  readonly words: readonly string[];
  readonly limit?: number;
  /** Files at hand, relative to the workspace. */
  readonly files?: readonly string[];
}

const DEFAULT_LIMIT = 5;

/** Ranks skills against a text as a message would, and says what would be done about each. */
export async function search(context: CommandContext, options: SearchOptions): Promise<ExitCode> {
  const text = options.words.join(" ").trim();
  if (text === "")
    throw new CliError("usage", "There is nothing to search for.", {
      hints: ['For example: skillet search "fill in a PDF form"'],
    });
  const skills = await openRegistry(context);
  // Somebody is there to ask: skills that a rule asks about can be found.
  const session = await skills.session({ interactive: true });
  const selector = await selectUsable(context, skills, session);
  const results = searchResults(selector, text, {
    limit: options.limit ?? DEFAULT_LIMIT,
    context: { ...(options.files && { files: options.files }) },
  });
  const leftOut = countLeftOut(session, { ...(options.files && { files: options.files }) });
  if (context.json) {
    const diagnostics = selector.diagnostics.map(diagnosticRow);
    printJson(context.terminal, { results, leftOut: Object.fromEntries(leftOut), diagnostics });
    return 0;
  }
  print(context, skills, { text, results, leftOut });
  warnDiagnostics(context, selector.diagnostics);
  return 0;
}

/** Who searches may mean a skill for themselves or for a model; what neither can have is no answer. */
async function selectUsable(context: CommandContext, skills: Skills, session: Session): Promise<Selector> {
  const selector = await openSelector(context, skills);
  return selector.among(
    (skill) =>
      session.hiddenFrom(skill, "model") === undefined || session.hiddenFrom(skill, "user") === undefined,
  );
}

function print(
  { terminal, environment }: CommandContext,
  skills: Skills,
  found: {
    readonly text: string;
    readonly results: readonly SearchResult[];
    readonly leftOut: ReadonlyMap<string, number>;
  },
): void {
  const layout = { width: terminal.width, colours: terminal.colours, environment };
  if (skills.snapshot.skills.length === 0) {
    terminal.print(emptyState(skills, layout));
    return;
  }
  const { results, leftOut } = found;
  const table = searchTable(results, layout);
  terminal.print(table);
  if (table.length > 0) terminal.print();
  const searched = skills.snapshot.skills.length - [...leftOut.values()].reduce((sum, one) => sum + one, 0);
  terminal.print(wrap(summary(results, searched), layout));
  for (const line of wrap(leftOutWords(leftOut), layout)) terminal.print(terminal.colours.dim(line));
}

function summary(results: readonly SearchResult[], searched: number): string {
  if (searched === 0) return "No skill can be used here, so nothing was searched. To see why: skillet show";
  const of = `of ${count(searched, "skill")}`;
  if (results.length === 0)
    return `None ${of} shares anything with that. Try other words, or see all of them: skillet show`;
  const sure = results.filter(({ decision }) => decision !== "nothing").length;
  const best = `The best ${results.length === 1 ? "one" : results.length} ${of}`;
  if (sure > 0) return `${best}. To see why one is or is not offered: skillet explain NAME`;
  return `${best}; none is near enough to be used or suggested for such a message.`;
}

/** Why skills were not searched, in the order that they are told in. */
const CAUSES: readonly string[] = [
  "disabled",
  "unavailable",
  "untrusted",
  "shadowed",
  "withheld",
  "denied",
  "elsewhere",
];

/** How many skills neither a model nor a person can have here, or are bound to other files than these, by cause. */
export function countLeftOut(
  session: Session,
  { files }: { readonly files?: readonly string[] } = {},
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const { skills } = session.snapshot;
  const hidden = files === undefined ? [] : visibleSkills(skills, { files }).hidden;
  const isElsewhere = new Set(hidden.flatMap(({ skill, cause }) => (cause === "paths" ? [skill] : [])));
  for (const skill of skills) {
    const cause = causeOf(skill, session) ?? (isElsewhere.has(skill) ? "elsewhere" : undefined);
    if (cause !== undefined) counts.set(cause, (counts.get(cause) ?? 0) + 1);
  }
  return new Map(CAUSES.flatMap((cause) => (counts.has(cause) ? [[cause, counts.get(cause) ?? 0]] : [])));
}

/** The same in words; nothing where all were searched. */
export function leftOutWords(counts: ReadonlyMap<string, number>): string {
  const entries = [...counts];
  if (entries.length === 0) return "";
  const total = entries.reduce((sum, [, number]) => sum + number, 0);
  const parts = entries.map(([cause, number]) => `${number} ${cause}`).join(", ");
  const [[only = ""] = []] = entries;
  const where = entries.length === 1 && STATES.has(only) ? `skillet show --state ${only}` : "skillet show";
  return `Not searched: ${parts}. To see ${total === 1 ? "it" : "them"}: ${where}`;
}

const STATES: ReadonlySet<string> = new Set(["disabled", "unavailable", "untrusted", "shadowed"]);

function causeOf(skill: Skill, session: Session): string | undefined {
  if (session.hiddenFrom(skill, "model") === undefined || session.hiddenFrom(skill, "user") === undefined)
    return undefined;
  if (skill.state !== "enabled") return skill.state;
  return session.vetting(skill)?.outcome === "withhold" ? "withheld" : "denied";
}

/** A skill that a search found, as the JSON document shows it. */
export interface SearchResult {
  readonly name: string;
  readonly qualifiedName: string;
  readonly description: string;
  /** How likely it is that the skill is wanted, between 0 and 1. */
  readonly score: number;
  /** What would be done about it for such a message. */
  readonly decision: "activate" | "suggest" | "nothing";
  readonly reasons: readonly string[];
}

/** Ranks skills against a text, and says what would be decided about each. */
export function searchResults(
  selector: Selector,
  text: string,
  options: { readonly limit: number; readonly context: SelectContext },
): readonly SearchResult[] {
  const { limit, context } = options;
  const { activate, suggest } = selector.decide(text, { context });
  const has = (list: readonly SelectedSkill[], { skill }: SelectedSkill): boolean =>
    list.some((one) => one.skill === skill);
  return selector.select(text, { limit, context }).map((found) => ({
    name: found.skill.name,
    qualifiedName: found.skill.qualifiedName,
    description: found.skill.manifest.description,
    score: Math.round(found.score * 1000) / 1000,
    decision: has(activate, found) ? "activate" : has(suggest, found) ? "suggest" : "nothing",
    reasons: found.reasons,
  }));
}

// Wider lines are hard to read, and the scores would stand far from the names.
const MAX_WIDTH = 100;
const BAR_COLUMNS = 10;
const SCORE_COLUMNS = 5;
const MAX_NAME_COLUMNS = 40;
const MAX_NAME_LINES = 4;
const DESCRIPTION_LINES: Readonly<Record<SearchResult["decision"], number>> = {
  activate: 2,
  suggest: 2,
  // What would not be used is there to compare with.
  nothing: 1,
};
const REASON_LINES = 3;
const SHORT_CHARACTERS = 1_000;
const INDENT = "  ";

/** What was found, the best first: mark, name, score and decision, then what the skill says and why it was found. */
export function searchTable(results: readonly SearchResult[], layout: Layout): string[] {
  const width = Math.min(layout.width, MAX_WIDTH);
  const names = results.map(({ qualifiedName }) => displayWidth(stripControl(qualifiedName)));
  // One very long name must not push the scores of all others off the screen.
  const column = Math.max(0, ...names.filter((columns) => columns <= MAX_NAME_COLUMNS));
  return results.flatMap((result, index) => [
    ...(index > 0 ? [""] : []),
    ...titleLines(result, { column, width, colours: layout.colours }),
    ...bodyLines(result, width, layout.colours),
  ]);
}

function titleLines(
  { qualifiedName, score, decision }: SearchResult,
  { column, width, colours }: { readonly column: number; readonly width: number; readonly colours: Colours },
): string[] {
  const name = stripControl(qualifiedName);
  const percent = `${Math.round(score * 100)} %`.padStart(SCORE_COLUMNS);
  const filled = Math.round(score * BAR_COLUMNS);
  const bar = "█".repeat(filled) + colours.dim("░".repeat(BAR_COLUMNS - filled));
  const { mark, words, paint } = DECISIONS[decision];
  const facts = `${bar} ${percent}  ${paint(colours)(words)}`;
  const factsWidth = BAR_COLUMNS + 1 + SCORE_COLUMNS + 2 + words.length;
  const head = `${paint(colours)(mark)} `;
  if (displayWidth(name) <= column && 2 + column + 2 + factsWidth <= width)
    return [`${head}${colours.bold(pad(name, column))}  ${facts}`];
  // Names are what people type, so they stay whole, and the rest goes below.
  const [first = "", ...rest] = wrap(name, { width: width - 2, maxLines: MAX_NAME_LINES });
  const below = 2 + factsWidth <= width ? facts : `${percent.trimStart()}  ${paint(colours)(words)}`;
  return [
    `${head}${colours.bold(first)}`,
    ...rest.map((line) => `${INDENT}${colours.bold(line)}`),
    `${INDENT}${below}`,
  ];
}

const DECISIONS: Readonly<
  Record<
    SearchResult["decision"],
    {
      readonly mark: string;
      readonly words: string;
      readonly paint: (colours: Colours) => (text: string) => string;
    }
  >
> = {
  activate: { mark: "✓", words: "activate", paint: ({ green }) => green },
  suggest: { mark: "?", words: "suggest", paint: ({ yellow }) => yellow },
  nothing: { mark: "○", words: "nothing", paint: ({ dim }) => dim },
};

function bodyLines(
  { description, reasons, decision }: SearchResult,
  width: number,
  colours: Colours,
): string[] {
  const room = width - INDENT.length;
  // Far more than fits; descriptions may be as long as a file.
  const text = stripControl(description.slice(0, SHORT_CHARACTERS));
  const why = stripControl(reasons.join("; ").slice(0, SHORT_CHARACTERS));
  return [
    ...wrap(text, { width: room, maxLines: DESCRIPTION_LINES[decision] }).map((line) => INDENT + line),
    ...wrap(why, { width: room, maxLines: REASON_LINES }).map((line) => INDENT + colours.dim(line)),
  ];
}
