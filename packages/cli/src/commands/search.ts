import type { Selector, Session, Skills } from "@skillet/core";
import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../command-context.ts";
import type { ExitCode } from "../exit-code.ts";
import { openRegistry } from "../open-registry.ts";
import { diagnosticRow } from "../output/diagnostic-row.ts";
import { printJson } from "../output/json-document.ts";
import { countLeftOut, leftOutWords } from "../select/left-out.ts";
import { openSelector } from "../select/open-selector.ts";
import { type SearchResult, searchResults } from "../select/search-results.ts";
import { searchTable } from "../select/search-table.ts";
import { emptyState } from "../ui/empty-state.ts";
import { wrap } from "../ui/fit-text.ts";
import { count } from "../ui/skill-state.ts";
import { warnDiagnostics } from "../ui/warn-diagnostics.ts";

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
    for (const line of emptyState(skills, layout)) terminal.print(line);
    return;
  }
  const { results, leftOut } = found;
  const table = searchTable(results, layout);
  for (const line of table) terminal.print(line);
  if (table.length > 0) terminal.print();
  const searched = skills.snapshot.skills.length - [...leftOut.values()].reduce((sum, one) => sum + one, 0);
  for (const line of wrap(summary(results, searched), layout)) terminal.print(line);
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
