import type {
  Catalog,
  CatalogBudget,
  CatalogFormat,
  CatalogReport,
  PolicyMode,
  Session,
} from "@skillet/core";
import { CliError, type ExitCode } from "../cli-error.ts";
import type { CommandContext } from "../context/command-context.ts";
import { warnStricterMode } from "../context/create-ask.ts";
import { openRegistry, openSelector } from "../context/open-registry.ts";
import { displayWidth, pad, wrap } from "../ui/fit-text.ts";
import { diagnosticRow, printJson } from "../ui/json-document.ts";
import { formatTokens, showSentence } from "../ui/show-path.ts";
import { count } from "../ui/skill-state.ts";
import { showControl, stripControl } from "../ui/strip-control.ts";
import type { Layout } from "../ui/terminal.ts";
import { warnDiagnostics } from "../ui/warning-list.ts";

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

/** What became of each skill, by qualified name, as the JSON document shows it. */
export interface CatalogRows {
  /** Every skill that is in the text. */
  readonly shown: readonly string[];
  /** Those of them whose description was cut, in part or altogether. */
  readonly shortened: readonly string[];
  /** Those of them without any of their description. */
  readonly nameOnly: readonly string[];
  readonly omitted: readonly string[];
  /** Characters of each description that are in the text, and that are not. */
  readonly skills: CatalogReport["skills"];
  /** Enabled skills that a model is not told about, and why. */
  readonly hidden: readonly HiddenRow[];
}

interface HiddenRow {
  readonly name: string;
  readonly reason: string;
}

/** Sorts a report by what became of the skills, and adds those that models may not see in this session. */
export function catalogRows(report: CatalogReport, session: Session): CatalogRows {
  const { skills } = report;
  const looked = new Set(skills.map(({ name }) => name));
  // Where the library is too large, a catalogue for a message looks only at what suits it.
  const beyond =
    report.total === skills.length
      ? []
      : session
          .usable("model")
          .flatMap(({ qualifiedName }) => (looked.has(qualifiedName) ? [] : [qualifiedName]));
  const named = (...outcomes: readonly string[]): readonly string[] =>
    skills.filter(({ outcome }) => outcomes.includes(outcome)).map(({ name }) => name);
  return {
    shown: named("shown", "shortened", "name-only"),
    shortened: named("shortened", "name-only"),
    nameOnly: named("name-only"),
    omitted: [...named("omitted"), ...beyond],
    skills,
    hidden: session.snapshot.skills
      .filter(({ state }) => state === "enabled")
      .flatMap((skill) => {
        const reason = session.hiddenFrom(skill, "model");
        return reason === undefined ? [] : [{ name: skill.qualifiedName, reason }];
      }),
  };
}

// A library may hold thousands; `--json` has them all.
const MAX_LISTED = 100;
const MAX_NAME_LINES = 4;
const MAX_REASON_LINES = 3;
const MAX_NAME_COLUMN = 40;
const MIN_TEXT_COLUMNS = 32;

/** Who was shortened, left out or hidden, and by how much; for people. */
export function catalogTable(rows: CatalogRows, layout: Layout): string[] {
  const of = (outcome: string): readonly Row[] =>
    measuredRows(rows.skills.filter((skill) => skill.outcome === outcome));
  const hidden = rows.hidden.map(({ name, reason }) => ({
    name,
    text: showSentence(reason, layout.environment),
  }));
  const sections = [
    section("Whole", of("shown"), layout),
    section("Shortened", of("shortened"), layout),
    section("By name only", of("name-only"), layout),
    section("Left out", leftOut(rows, of("omitted")), layout),
    section("Hidden from models", hidden, layout),
  ].filter((lines) => lines.length > 0);
  return sections.flatMap((lines, index) => (index === 0 ? lines : ["", ...lines]));
}

/** Those for which there was no room, and those that were not tried because others suit the message better. */
function leftOut({ omitted }: CatalogRows, measured: readonly Row[]): readonly Row[] {
  const known = new Set(measured.map(({ name }) => name));
  const others = omitted.filter((name) => !known.has(name));
  return [...measured, ...others.map((name) => ({ name, text: "others suit the message better" }))];
}

interface Row {
  readonly name: string;
  readonly text: string;
}

function measuredRows(skills: CatalogReport["skills"]): readonly Row[] {
  const aligned = (numberOf: (skill: CatalogReport["skills"][number]) => number): string[] => {
    const texts = skills.map((skill) => String(numberOf(skill)));
    const column = texts.reduce((most, text) => Math.max(most, text.length), 0);
    return texts.map((text) => text.padStart(column));
  };
  const kept = aligned((skill) => skill.kept);
  const total = aligned((skill) => skill.kept + skill.cut);
  const cut = aligned((skill) => skill.cut);
  return skills.map(({ name, ...skill }, row) => {
    if (skill.cut === 0) return { name, text: `${total[row]} characters` };
    if (skill.kept === 0) return { name, text: `${cut[row]} characters cut` };
    return { name, text: `${kept[row]} of ${total[row]} characters, ${cut[row]} cut` };
  });
}

function section(title: string, rows: readonly Row[], layout: Layout): string[] {
  if (rows.length === 0) return [];
  const { colours } = layout;
  const listed = rows.slice(0, MAX_LISTED).map(({ name, text }) => ({ name: stripControl(name), text }));
  const column = Math.min(
    MAX_NAME_COLUMN,
    listed.reduce((most, { name }) => Math.max(most, displayWidth(name)), 0),
  );
  const rest = rows.length - listed.length;
  return [
    `${colours.bold(title)} ${colours.dim(String(rows.length))}`,
    ...listed.flatMap((row) => rowLines(row, column, layout)),
    ...(rest > 0 ? [colours.dim(`  and ${rest} more: --json lists all`)] : []),
  ];
}

// Names are what people type, so they stay whole; what does not fit beside one stands below it.
function rowLines({ name, text }: Row, column: number, { colours, width }: Layout): string[] {
  const room = width - column - 4;
  const isBeside = displayWidth(name) <= column && room >= Math.min(displayWidth(text), MIN_TEXT_COLUMNS);
  const lines = wrap(text, { width: isBeside ? room : width - 6, maxLines: MAX_REASON_LINES }).map((line) =>
    colours.dim(line),
  );
  if (isBeside) return lines.map((line, row) => `  ${pad(row === 0 ? name : "", column)}  ${line}`);
  const names = wrap(name, { width: width - 2, maxLines: MAX_NAME_LINES });
  return [...names.map((line) => `  ${line}`), ...lines.map((line) => `      ${line}`)];
}
