import type {
  Catalog,
  CatalogBudget,
  CatalogFormat,
  CatalogReport,
  PolicyMode,
  Session,
  ToolRoots,
} from "@skillet/core";
import { insideOf, usableSkills } from "@skillet/core/internal";
import { refuseUsage } from "../context/cli-error.ts";
import { answer, type CommandContext, type ExitCode, type Flags } from "../context/command-context.ts";
import { warnStricterMode } from "../context/create-ask.ts";
import { openRegistry, openSelector } from "../context/open-registry.ts";
import { warnDiagnostics } from "../ui/skill-notices.ts";
import type { Layout } from "../ui/terminal.ts";
import {
  count,
  displayWidth,
  firstLines,
  formatTokens,
  hang,
  moreInJson,
  pad,
  showControl,
  showSentence,
  spacedBlocks,
  stripControl,
  wrap,
} from "../ui/text.ts";

interface CatalogOptions extends Flags<"report" | "userOnly"> {
  readonly format: CatalogFormat;
  readonly guidance: "load" | "read" | "none";
  readonly budget?: CatalogBudget;
  /** Tokens of the model's whole context, which the budget is then a share of. */
  readonly window?: number;
  readonly mode?: PolicyMode;
  readonly message?: string;
  readonly toolRoot?: ToolRoots;
}

export async function catalog(context: CommandContext, options: CatalogOptions): Promise<ExitCode> {
  const { format, guidance, mode, window, message, report = false, userOnly = false } = options;
  refuseUsage("catalog", [
    [
      options.budget !== undefined && window !== undefined,
      "--budget and --window cannot be combined: a window sets the budget.",
    ],
    [
      userOnly && message !== undefined,
      "--user-only and --message cannot be combined: a message is for skills that the model can load.",
    ],
  ]);
  const budget = window === undefined ? options.budget : { contextWindow: window };
  const skills = await openRegistry(context, options);
  // A person can be asked, so skills that a rule asks about are listed.
  const session = await skills.session({ interactive: true, ...(mode !== undefined && { mode }) });
  const given = { format, guidance, ...(budget !== undefined && { budget }) };
  // The catalogue opens the selector only where it needs it; its diagnostics are shown either way.
  const selector = message === undefined ? undefined : await openSelector(context, skills);
  const diagnostics = selector?.diagnostics ?? [];
  const made =
    message === undefined
      ? session.catalog({ ...given, userOnly })
      : (await session.prompt([message], given)).catalog;
  const { text, tokens, characters } = made;
  const rows = catalogRows(made.report, session);
  const { terminal, json } = context;
  const { errors } = terminal;
  warnDiagnostics(context, diagnostics);
  if (!json) warnStricterMode(context, { asked: mode, session });
  const note = summary(made, rows, session.mode);
  const document = { text, tokens, characters, format, mode: session.mode, report: rows, diagnostics };
  const exitCode = answer(context, document, () => {
    if (report) return spacedBlocks([catalogTable(rows, terminal), hang(note, terminal)]);
    return text === "" ? [] : text.split("\n").map(showControl);
  });
  if (json || report) return exitCode;
  // Skills that only people start are worth a hint only if there is nothing else.
  const hasMore = made.report.cut > 0 || (made.report.total === 0 && rows.hidden.length > 0);
  terminal.warn(
    hang(hasMore ? `${note} To see more, add --report.` : note, errors, { paint: errors.colours.dim }),
  );
  return exitCode;
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
    ...report.leftOut.map((part) => `no room for ${part}`),
    ...(rows.hidden.length > 0 ? [`${rows.hidden.length} hidden${where}`] : []),
  ];
  return `${parts.join(", ")}.`;
}

/** The outcome for each skill, by qualified name, as the JSON document shows it. */
export interface CatalogRows {
  readonly shown: readonly string[];
  /** Those of them whose description was cut, in part or altogether. */
  readonly shortened: readonly string[];
  readonly nameOnly: readonly string[];
  readonly omitted: readonly string[];
  readonly leftOut: CatalogReport["leftOut"];
  readonly skills: CatalogReport["skills"];
  readonly hidden: readonly { readonly name: string; readonly reason: string }[];
}

function catalogRows({ skills, total, leftOut, hidden }: CatalogReport, session: Session): CatalogRows {
  const looked = new Set(skills.map(({ name }) => name));
  // Where the library is too large, a catalogue for a message looks only at what suits it.
  const usable = total === skills.length ? [] : usableSkills(insideOf(session), "model");
  const beyond = usable.map(({ qualifiedName }) => qualifiedName).filter((name) => !looked.has(name));
  const named = (...outcomes: readonly string[]): readonly string[] =>
    skills.filter(({ outcome }) => outcomes.includes(outcome)).map(({ name }) => name);
  return {
    shown: named("shown", "shortened", "name-only"),
    shortened: named("shortened", "name-only"),
    nameOnly: named("name-only"),
    omitted: [...named("omitted"), ...beyond],
    leftOut,
    skills,
    hidden: hidden
      .filter(({ skill }) => skill.state === "enabled")
      .map(({ skill, reason }) => ({ name: skill.qualifiedName, reason })),
  };
}

// A library may hold thousands; `--json` has them all.
const MAX_LISTED = 100;
const MAX_NAME_LINES = 4;
const MAX_REASON_LINES = 3;
const MAX_NAME_COLUMN = 40;
const MIN_TEXT_COLUMNS = 32;

interface Row {
  readonly name: string;
  readonly text: string;
}

export function catalogTable({ skills, omitted, hidden }: CatalogRows, layout: Layout): string[] {
  const of = (outcome: string): readonly Row[] =>
    measuredRows(skills.filter((skill) => skill.outcome === outcome));
  const noRoom = of("omitted");
  const tried = new Set(noRoom.map(({ name }) => name));
  const untried = omitted.filter((name) => !tried.has(name));
  const better = untried.map((name) => ({ name, text: "others suit the message better" }));
  const reasons = hidden.map(({ name, reason }) => ({
    name,
    text: showSentence(reason, layout.environment),
  }));
  return spacedBlocks([
    section("Whole", of("shown"), layout),
    section("Shortened", of("shortened"), layout),
    section("By name only", of("name-only"), layout),
    section("Left out", [...noRoom, ...better], layout),
    section("Hidden from models", reasons, layout),
  ]);
}

function measuredRows(skills: CatalogReport["skills"]): readonly Row[] {
  const aligned = (numbers: readonly number[]): readonly string[] => {
    const column = numbers.reduce((most, number) => Math.max(most, String(number).length), 0);
    return numbers.map((number) => String(number).padStart(column));
  };
  const kept = aligned(skills.map((skill) => skill.kept));
  const total = aligned(skills.map((skill) => skill.kept + skill.cut));
  const cut = aligned(skills.map((skill) => skill.cut));
  return skills.map(({ name, ...skill }, row) => {
    if (skill.cut === 0) return { name, text: `${total[row]} characters` };
    if (skill.kept === 0) return { name, text: `${cut[row]} characters cut` };
    return { name, text: `${kept[row]} of ${total[row]} characters, ${cut[row]} cut` };
  });
}

function section(title: string, rows: readonly Row[], layout: Layout): string[] {
  if (rows.length === 0) return [];
  const { bold, dim } = layout.colours;
  const widths = rows.slice(0, MAX_LISTED).map(({ name }) => displayWidth(stripControl(name)));
  const column = Math.min(MAX_NAME_COLUMN, Math.max(...widths));
  return [
    `${bold(title)} ${dim(String(rows.length))}`,
    ...firstLines(rows, MAX_LISTED, (row) => rowLines(row, column, layout), moreInJson(layout)),
  ];
}

// Names are what people type, so they stay whole; a text that does not fit beside one stands below it.
function rowLines({ name, text }: Row, column: number, layout: Layout): string[] {
  const { colours, width } = layout;
  const shown = stripControl(name);
  const room = width - column - 4;
  const isBeside = displayWidth(shown) <= column && room >= Math.min(displayWidth(text), MIN_TEXT_COLUMNS);
  const options = { width: isBeside ? room : width - 6, maxLines: MAX_REASON_LINES };
  // Not made safe a second time, which would undo the alignment.
  const lines = wrap(text, options).map((line) => colours.dim(line));
  if (isBeside) return lines.map((line, row) => `  ${pad(row === 0 ? shown : "", column)}  ${line}`);
  const names = hang(name, layout, { indent: 2, maxLines: MAX_NAME_LINES });
  return [...names, ...lines.map((line) => `      ${line}`)];
}
