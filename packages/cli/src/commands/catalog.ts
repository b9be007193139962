import type { Catalog, CatalogBudget, CatalogFormat, PolicyMode } from "@skillet/core";
import { type CatalogRows, catalogRows } from "../catalog/catalog-rows.ts";
import { catalogTable } from "../catalog/catalog-table.ts";
import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../command-context.ts";
import type { ExitCode } from "../exit-code.ts";
import { openRegistry } from "../open-registry.ts";
import { diagnosticRow } from "../output/diagnostic-row.ts";
import { printJson } from "../output/json-document.ts";
import { openSelector } from "../select/open-selector.ts";
import { warnStricterMode } from "../session/warn-stricter-mode.ts";
import { wrap } from "../ui/fit-text.ts";
import { formatTokens } from "../ui/format-quantity.ts";
import { count } from "../ui/skill-state.ts";
import { showControl } from "../ui/strip-control.ts";
import { warnDiagnostics } from "../ui/warn-diagnostics.ts";

/** How the catalogue is written, for what room, and for whom. */
export interface CatalogCommandOptions {
  readonly format: CatalogFormat;
  readonly budget?: CatalogBudget;
  /** Tokens of the model's whole context, which the budget is then a share of. */
  readonly window?: number;
  readonly mode?: PolicyMode;
  /** What the person just said. */
  readonly message?: string;
  /** The same, as it was called before. */
  readonly for?: string;
  readonly report?: boolean;
}

/** Prints what a model is told about the skills it may load, or what that leaves out. */
export async function catalog(context: CommandContext, options: CatalogCommandOptions): Promise<ExitCode> {
  const budget = budgetOf(options);
  const { format, mode } = options;
  const message = options.message ?? options.for;
  const skills = await openRegistry(context);
  // Somebody is there to ask: skills that a rule asks about are listed.
  const session = await skills.session({ interactive: true, ...(mode !== undefined && { mode }) });
  const given = { format, ...(budget !== undefined && { budget }) };
  // Before the catalogue, which opens the same one where it needs it: what is wrong with it is to be heard either way.
  const selector = message === undefined ? undefined : await openSelector(context, skills);
  const diagnostics = selector?.diagnostics ?? [];
  const made = message === undefined ? session.catalog(given) : await session.catalogFor([message], given);
  const rows = catalogRows(made.report, session);
  const { terminal } = context;
  if (context.json) {
    const { text, tokens, characters } = made;
    printJson(terminal, {
      ...{ text, tokens, characters, format, mode: session.mode, report: rows },
      diagnostics: diagnostics.map(diagnosticRow),
    });
    return 0;
  }
  warnDiagnostics(context, diagnostics);
  warnStricterMode(context, { asked: mode, session });
  const note = summary(made, rows, session.mode);
  if (options.report === true) printReport(context, rows, note);
  else printCatalog(context, made, hasMoreToSay(made, rows) ? `${note} To see more, add --report.` : note);
  return 0;
}

function budgetOf({ budget, window }: CatalogCommandOptions): CatalogBudget | undefined {
  if (window === undefined) return budget;
  if (budget === undefined) return { contextWindow: window };
  throw new CliError("usage", "--budget and --window do not go together: a window sets the budget.", {
    hints: ["See: skillet help catalog"],
  });
}

// Skills that only people start are no news, unless nothing else is there.
function hasMoreToSay({ report }: Catalog, { hidden }: CatalogRows): boolean {
  return report.cut > 0 || (report.total === 0 && hidden.length > 0);
}

function printCatalog({ terminal }: CommandContext, { text }: Catalog, note: string): void {
  for (const line of text === "" ? [] : text.split("\n")) terminal.print(showControl(line));
  for (const line of wrap(note, { width: terminal.errorLineWidth }))
    terminal.warn(terminal.errorColours.dim(line));
}

function printReport({ terminal, environment }: CommandContext, rows: CatalogRows, note: string): void {
  const layout = { width: terminal.width, colours: terminal.colours, environment };
  const table = catalogTable(rows, layout);
  for (const line of table) terminal.print(line);
  if (table.length > 0) terminal.print();
  for (const line of wrap(note, layout)) terminal.print(line);
}

function summary({ text, tokens, report }: Catalog, rows: CatalogRows, mode: PolicyMode): string {
  const where = mode === "default" ? "" : ` in ${mode} mode`;
  if (report.total === 0) {
    const nothing = `No skill is offered${where}, so a model is told nothing.`;
    return rows.hidden.length > 0 ? nothing : `${nothing} To see why: skillet show`;
  }
  const are = report.total === 1 ? "skill is" : "skills are";
  if (text === "") return `${report.total} ${are} offered${where}, but none fits the budget.`;
  const parts = [
    `${count(rows.shown.length, "skill")}, ${formatTokens(tokens)} tokens`,
    ...(report.shortened > 0 ? [`${report.shortened} shortened`] : []),
    ...(report.nameOnly > 0 ? [`${report.nameOnly} by name only`] : []),
    ...(report.omitted > 0 ? [`${report.omitted} left out`] : []),
    ...(rows.hidden.length > 0 ? [`${rows.hidden.length} hidden${where}`] : []),
  ];
  return `${parts.join(", ")}.`;
}
