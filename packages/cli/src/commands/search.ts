import type { SelectContext, SelectedSkill, Selector, Session, Skill, Skills } from "@skillet/core";
import { findObstacle, insideOf, usableSkills } from "@skillet/core/internal";
import { cutPath } from "@skillet/kit/glob";
import { CliError } from "../context/cli-error.ts";
import { answer, type CommandContext, type ExitCode } from "../context/command-context.ts";
import { openRegistry, openSelector } from "../context/open-registry.ts";
import { diagnosticRow } from "../ui/json-document.ts";
import { emptyState, warnDiagnostics } from "../ui/skill-notices.ts";
import type { Layout } from "../ui/terminal.ts";
import { count, displayWidth, hang, pad, stripControl } from "../ui/text.ts";

interface SearchOptions {
  readonly words: readonly string[];
  readonly limit?: number;
  readonly files?: readonly string[];
}

const DEFAULT_LIMIT = 5;

export async function search(context: CommandContext, options: SearchOptions): Promise<ExitCode> {
  const text = options.words.join(" ").trim();
  if (text === "")
    throw new CliError("usage", "There is nothing to search for.", {
      hints: ['For example: skillet search "fill in a PDF form"'],
    });
  const { files, limit = DEFAULT_LIMIT } = options;
  const skills = await openRegistry(context);
  // A person is there to be asked, so skills that a rule asks about can be found.
  const session = await skills.session({ interactive: true });
  // People search for themselves or for a model; what neither can use is left out.
  const inside = insideOf(session);
  const usable = new Set([...usableSkills(inside, "model"), ...usableSkills(inside, "user")]);
  const selector = (await openSelector(context, skills)).among((skill) => usable.has(skill));
  const results = searchResults(selector, text, { limit, context: { ...(files && { files }) } });
  const leftOut = countLeftOut(session, usable, files);
  const { diagnostics } = selector;
  const document = {
    results,
    leftOut: Object.fromEntries(leftOut),
    diagnostics: diagnostics.map(diagnosticRow),
  };
  answer(context, document, () => screen(context.terminal, skills, { results, leftOut }));
  if (!context.json) warnDiagnostics(context, diagnostics);
  return 0;
}

function screen(
  layout: Layout,
  skills: Skills,
  found: { readonly results: readonly SearchResult[]; readonly leftOut: ReadonlyMap<string, number> },
): readonly string[] {
  const { results, leftOut } = found;
  const total = skills.snapshot.skills.length;
  if (total === 0) return emptyState(skills, layout);
  const searched = total - [...leftOut.values()].reduce((sum, one) => sum + one, 0);
  return [
    ...searchTable(results, layout),
    ...(results.length > 0 ? [""] : []),
    ...hang(summary(results, searched), layout),
    ...hang(leftOutWords(leftOut), layout, { paint: layout.colours.dim }),
  ];
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

/** Why skills were not searched, in the order that they are told in; the first four are states. */
const CAUSES = [
  "disabled",
  "unavailable",
  "untrusted",
  "shadowed",
  "withheld",
  "denied",
  "elsewhere",
] as const;
const STATES: readonly string[] = CAUSES.slice(0, 4);

function countLeftOut(
  session: Session,
  usable: ReadonlySet<Skill>,
  files: readonly string[] | undefined,
): ReadonlyMap<string, number> {
  const { skills } = session.snapshot;
  const cut = files?.map(cutPath);
  const causes = skills.map((skill) => {
    if (usable.has(skill))
      return findObstacle(skill, { files: cut })?.cause === "paths" ? "elsewhere" : undefined;
    const { state } = session.mayUse(skill);
    return state === "enabled" ? "denied" : state;
  });
  return new Map(
    CAUSES.map((cause) => [cause, causes.filter((one) => one === cause).length] as const).filter(
      ([, number]) => number > 0,
    ),
  );
}

/** The same in words; nothing where all were searched. */
function leftOutWords(counts: ReadonlyMap<string, number>): string {
  const entries = [...counts];
  if (entries.length === 0) return "";
  const total = entries.reduce((sum, [, number]) => sum + number, 0);
  const parts = entries.map(([cause, number]) => `${number} ${cause}`).join(", ");
  const [[only = ""] = []] = entries;
  const isState = entries.length === 1 && STATES.includes(only);
  const where = isState ? `skillet show --state ${only}` : "skillet show";
  return `Not searched: ${parts}. To see ${total === 1 ? "it" : "them"}: ${where}`;
}

interface SearchResult {
  readonly name: string;
  readonly qualifiedName: string;
  readonly description: string;
  /** How likely it is that the skill is wanted, between 0 and 1. */
  readonly score: number;
  readonly decision: "activate" | "suggest" | "nothing";
  readonly reasons: readonly string[];
}

function searchResults(
  selector: Selector,
  text: string,
  { limit, context }: { readonly limit: number; readonly context: SelectContext },
): readonly SearchResult[] {
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
const REASON_LINES = 3;
const SHORT_CHARACTERS = 1_000;
const INDENT = "  ";

const DECISIONS = {
  activate: { mark: "✓", colour: "green", lines: 2 },
  suggest: { mark: "?", colour: "yellow", lines: 2 },
  // Results that would not be used are there for comparison.
  nothing: { mark: "○", colour: "dim", lines: 1 },
} as const;

function searchTable(results: readonly SearchResult[], layout: Layout): string[] {
  const inner = { ...layout, width: Math.min(layout.width, MAX_WIDTH) };
  const names = results.map(({ qualifiedName }) => displayWidth(stripControl(qualifiedName)));
  // One very long name must not push the scores of all others off the screen.
  const column = Math.max(0, ...names.filter((columns) => columns <= MAX_NAME_COLUMNS));
  return results.flatMap((result, index) => {
    const { description, reasons, decision } = result;
    const below = { indent: INDENT.length };
    return [
      ...(index > 0 ? [""] : []),
      ...titleLines(result, column, inner),
      // Far more than fits; descriptions may be as long as a file.
      ...hang(description.slice(0, SHORT_CHARACTERS), inner, {
        ...below,
        maxLines: DECISIONS[decision].lines,
      }),
      ...hang(reasons.join("; ").slice(0, SHORT_CHARACTERS), inner, {
        ...{ ...below, maxLines: REASON_LINES, paint: layout.colours.dim },
      }),
    ];
  });
}

function titleLines(
  { qualifiedName, score, decision }: SearchResult,
  column: number,
  layout: Layout,
): string[] {
  const { width, colours } = layout;
  const name = stripControl(qualifiedName);
  const percent = `${Math.round(score * 100)} %`.padStart(SCORE_COLUMNS);
  const filled = Math.round(score * BAR_COLUMNS);
  const bar = "█".repeat(filled) + colours.dim("░".repeat(BAR_COLUMNS - filled));
  const { mark, colour } = DECISIONS[decision];
  const words = colours[colour](decision);
  const factsWidth = BAR_COLUMNS + 1 + SCORE_COLUMNS + 2 + decision.length;
  const head = `${colours[colour](mark)} `;
  if (displayWidth(name) <= column && 2 + column + 2 + factsWidth <= width)
    return [`${head}${colours.bold(pad(name, column))}  ${bar} ${percent}  ${words}`];
  // Names are what people type, so they stay whole, and the rest goes below.
  const facts = 2 + factsWidth <= width ? `${bar} ${percent}` : percent.trimStart();
  return [
    ...hang(name, layout, { indent: 2, lead: head, paint: colours.bold, maxLines: MAX_NAME_LINES }),
    `${INDENT}${facts}  ${words}`,
  ];
}
