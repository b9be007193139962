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
import { listFirst } from "@skillet/kit/text";
import { refuseUsage } from "../context/cli-error.ts";
import { answer, type CommandContext, type ExitCode, type Flags } from "../context/command-context.ts";
import { warnStricterMode } from "../context/create-ask.ts";
import { openRegistry, openSelector } from "../context/open-registry.ts";
import { warnDiagnostics } from "../ui/skill-notices.ts";
import type { Layout } from "../ui/terminal.ts";
import {
  count,
  firstLines,
  formatTokens,
  hang,
  moreInJson,
  showControl,
  showSentence,
  spacedBlocks,
  titleLines,
} from "../ui/text.ts";

interface CatalogOptions extends Flags<"report" | "userOnly"> {
  readonly format: CatalogFormat;
  readonly guidance: "load" | "read" | "none";
  readonly budget?: CatalogBudget;
  /** The model's whole context window in tokens; the budget is a share of it. */
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
  const skills = await openRegistry(context, { ...options, servers: true });
  // A user can be asked, so skills that need confirmation are listed.
  const session = await skills.session({ interactive: true, ...(mode !== undefined && { mode }) });
  const given = { format, guidance, ...(budget !== undefined && { budget }) };
  // The catalogue opens the selector only if it needs it; the selector's diagnostics are shown either way.
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
  // Skills that only users can start are worth a hint only if there is nothing else.
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
  const hidden = rows.hidden.map(({ name }) => name);
  const parts = [
    `${count(rows.shown.length, "skill")}, ${formatTokens(tokens)} tokens`,
    ...(report.shortened > 0 ? [`${report.shortened} shortened`] : []),
    ...(report.nameOnly > 0 ? [`${report.nameOnly} by name only`] : []),
    ...(report.omitted > 0 ? [`${report.omitted} left out`] : []),
    ...report.leftOut.map((part) => `no room for ${part}`),
    ...(hidden.length > 0 ? [`${hidden.length} hidden${where} (${showControl(listFirst(hidden, 3))})`] : []),
  ];
  return `${parts.join(", ")}.`;
}

export interface CatalogRows {
  readonly shown: readonly string[];
  /** The shown skills whose description was cut, partly or completely. */
  readonly shortened: readonly string[];
  readonly nameOnly: readonly string[];
  readonly omitted: readonly string[];
  readonly leftOut: CatalogReport["leftOut"];
  readonly skills: CatalogReport["skills"];
  readonly hidden: readonly { readonly name: string; readonly reason: string }[];
}

function catalogRows({ skills, total, leftOut, hidden }: CatalogReport, session: Session): CatalogRows {
  const looked = new Set(skills.map(({ name }) => name));
  // If the library is too large, a catalogue for a message considers only the skills that suit it.
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

// A library may hold thousands; `--json` lists them all.
const MAX_LISTED = 100;

type Row = readonly [name: string, text: string];

export function catalogTable({ skills, omitted, hidden }: CatalogRows, layout: Layout): string[] {
  const { bold, dim } = layout.colours;
  const of = (wanted: string): readonly Row[] =>
    skills.filter(({ outcome }) => outcome === wanted).map((skill) => [skill.name, sizeWords(skill)]);
  const noRoom = of("omitted");
  const tried = new Set(noRoom.map(([name]) => name));
  const untried = omitted.filter((name) => !tried.has(name));
  const section = (title: string, rows: readonly Row[]): string[] => {
    const linesOf = (row: Row): string[] => titleLines(row, layout, { indent: 2, lead: "  ", paint: dim });
    return rows.length === 0
      ? []
      : [
          `${bold(title)} ${dim(String(rows.length))}`,
          ...firstLines(rows, MAX_LISTED, linesOf, moreInJson(layout)),
        ];
  };
  return spacedBlocks([
    section("Whole", of("shown")),
    section("Shortened", of("shortened")),
    section("By name only", of("name-only")),
    section("Left out", [...noRoom, ...untried.map((name): Row => [name, "others suit the message better"])]),
    section(
      "Hidden from models",
      hidden.map(({ name, reason }) => [name, showSentence(reason, layout.environment)]),
    ),
  ]);
}

function sizeWords({ kept, cut }: CatalogReport["skills"][number]): string {
  if (cut === 0) return `${kept} characters`;
  return kept === 0 ? `${cut} characters cut` : `${kept} of ${kept + cut} characters, ${cut} cut`;
}
