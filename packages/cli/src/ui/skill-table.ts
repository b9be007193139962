import type { Skill } from "@skillet/core";
import { tokenCost, type UseRules } from "@skillet/core/internal";
import { shellArgument } from "@skillet/kit/text";
import { obstacles, type SkillGroup } from "./skill-list.ts";
import {
  type Readers,
  type ShownState,
  type SkillFacts,
  STATE_WORDS,
  shownState,
  stateMark,
  stillLoaded,
} from "./skill-state.ts";
import type { Layout } from "./terminal.ts";
import {
  count,
  displayWidth,
  firstLines,
  formatTokens,
  hang,
  pad,
  sayingWhere,
  showControl,
  showSentence,
  stripControl,
  truncate,
} from "./text.ts";

export interface SkillTableOptions extends Layout {
  readonly readersOf: (skill: Skill) => Readers;
  readonly verdicts: ReadonlyMap<Skill, SkillFacts>;
  readonly rules: UseRules;
}

const GAP = "  ";
const MAX_NAME_COLUMNS = 36;
const MAX_AGENT_COLUMNS = 22;
const MIN_DESCRIPTION_COLUMNS = 14;
const SHORT_CHARACTERS = 1_000;

interface Row {
  readonly state: ShownState;
  readonly cells: Readonly<Record<Column, string>>;
}

type Column = "name" | "agents" | "status" | "tokens" | "description";

const HEADINGS: Readonly<Record<Column, string>> = {
  name: "NAME",
  agents: "READ BY",
  status: "STATUS",
  tokens: "TOKENS",
  description: "DESCRIPTION",
};

/** One line per skill. On a narrow screen, a column is dropped for all skills, never for some. */
export function skillTable(groups: readonly SkillGroup[], options: SkillTableOptions): string[] {
  const members = groups.flatMap((group) => group.members);
  if (members.length === 0) return [];
  const rows = new Map(members.map((skill) => [skill, rowOf(skill, options)]));
  const widths = columnWidths([...rows.values()], options.width);
  const { bold, dim } = options.colours;
  return [
    dim(`${GAP}${lineOf(HEADINGS, widths)}`.trimEnd()),
    ...groups.flatMap((group) => [
      ...(groups.length > 1 ? [bold(group.title)] : []),
      ...group.members.flatMap((skill) => {
        const row = rows.get(skill);
        return row === undefined ? [] : rowLines(row, widths, options);
      }),
    ]),
  ];
}

function rowOf(skill: Skill, { readersOf, verdicts, rules }: SkillTableOptions): Row {
  const known = verdicts.get(skill);
  const readers = readersOf(skill);
  const state = shownState(skill, known, rules, readers);
  const { catalog, body } = tokenCost(skill);
  return {
    state,
    cells: {
      name: stripControl(skill.qualifiedName),
      agents: readers.loading.map(({ id }) => id).join(", ") || "-",
      status: statusWord(skill, state, known),
      tokens: `${formatTokens(catalog)} / ${formatTokens(body)}`.replaceAll("~", ""),
      // Far more than fits; a description may be as long as a file.
      description: stripControl(skill.manifest.description.slice(0, SHORT_CHARACTERS)),
    },
  };
}

/** Ids as `--agent` takes them: `claude-code, codex`, or `claude-code +3`. */
function fit(cells: Row["cells"], column: Column, width: number): string {
  const all = cells[column];
  const [first = "", ...others] = all.split(", ");
  if (column === "description") return truncate(all, width);
  if (column !== "agents" || all.length <= width) return all;
  const rest = others.length === 0 ? "" : ` +${others.length}`;
  return `${truncate(first, width - rest.length)}${rest}`;
}

const SHORT_STATES: Readonly<Partial<Record<ShownState, string>>> = {
  unscanned: "not scanned",
  denied: "not offered",
  unwritten: "template",
};

// For enabled skills, and those that only the scan withholds, the verdict says more than the state.
function statusWord({ scope }: Skill, state: ShownState, known: SkillFacts | undefined): string {
  if (state === "withheld") return known?.verdict ?? state;
  if (state !== "enabled") return SHORT_STATES[state] ?? state;
  if (known === undefined) return scope === "bundled" ? "bundled" : state;
  return known.approved === true ? "approved" : known.verdict;
}

type Widths = ReadonlyMap<Column, number>;

function columnWidths(rows: readonly Row[], width: number): Widths {
  const most = Math.max(MAX_AGENT_COLUMNS, Math.floor(width / 4));
  const widest = (column: Column): number =>
    Math.max(...rows.map(({ cells }) => displayWidth(fit(cells, column, most))), HEADINGS[column].length);
  const status = widest("status");
  const widths = new Map<Column, number>();
  // A very long name gets a line of its own, and must not push everything else off the screen.
  const isRead = rows.some(({ cells }) => cells.agents !== "-");
  const least = isRead ? HEADINGS.agents.length + GAP.length : 0;
  const room = width - GAP.length - status;
  const longest = Math.max(8, Math.min(MAX_NAME_COLUMNS, room - GAP.length - least));
  const names = rows.map(({ cells }) => displayWidth(cells.name)).filter((columns) => columns <= longest);
  widths.set("name", Math.max(HEADINGS.name.length, ...names));
  let left = room - (widths.get("name") ?? 0) - GAP.length;
  for (const column of ["agents", "tokens"] as const) {
    // The agents are shown even if there is room for only one name.
    const columns = column === "tokens" ? widest(column) : Math.min(widest(column), left - GAP.length);
    const isTold = isRead || column === "tokens";
    if (!isTold || columns < HEADINGS[column].length || columns + GAP.length > left) continue;
    widths.set(column, columns);
    left -= columns + GAP.length;
  }
  widths.set("status", status);
  const isEnough = (columns: number): boolean => columns - GAP.length >= MIN_DESCRIPTION_COLUMNS;
  const tokens = widths.get("tokens") ?? 0;
  // The description says more than the cost in tokens.
  if (!isEnough(left) && tokens > 0 && isEnough(left + tokens + GAP.length)) {
    widths.delete("tokens");
    left += tokens + GAP.length;
  }
  if (isEnough(left)) widths.set("description", left - GAP.length);
  return widths;
}

function lineOf(
  cells: Row["cells"],
  widths: Widths,
  paint: (text: string, column: Column) => string = String,
): string {
  const columns = (Object.keys(HEADINGS) as Column[]).filter((column) => widths.has(column));
  const texts = columns.map((column) => {
    const width = widths.get(column) ?? 0;
    if (column === "tokens") return cells.tokens.padStart(width);
    const text = fit(cells, column, width);
    return paint(column === columns.at(-1) ? text : pad(text, width), column);
  });
  return texts.join(GAP);
}

function rowLines({ state, cells }: Row, widths: Widths, { width, colours }: Layout): string[] {
  const paint = (text: string, column: Column): string => {
    if (column === "name") return colours.bold(text);
    if (column !== "status") return column === "description" ? text : colours.dim(text);
    if (text.startsWith("dangerous")) return colours.red(text);
    return state === "enabled" && !text.startsWith("caution") ? colours.dim(text) : colours.yellow(text);
  };
  const mark = `${stateMark(state, colours)} `;
  if (displayWidth(cells.name) <= (widths.get("name") ?? 0))
    return [`${mark}${lineOf(cells, widths, paint)}`.trimEnd()];
  // Users type names, so they are never cut.
  return [
    ...hang(cells.name, { width }, { indent: 2, lead: mark, paint: colours.bold }),
    `${GAP}${lineOf({ ...cells, name: "" }, widths, paint)}`.trimEnd(),
  ];
}

const MAX_NAMED = 4;
const REASON_LINES = 2;

/** Lists skills that need attention, with reason and command; not those in a state that the user chose. */
export function attentionList(skills: readonly Skill[], options: SkillTableOptions): string[] {
  const { colours, verdicts, rules, environment } = options;
  const named = skills.flatMap((skill) => {
    const known = verdicts.get(skill);
    const state = shownState(skill, known, rules);
    // The command says what can be done about it.
    const [against = ""] = obstacles(skill, options).join("; ").split("; to use it", 1);
    const why = (state === "withheld" ? undefined : known?.changed) ?? against.replace(/^not offered: /, "");
    const loaded = stillLoaded(skill, known, options.readersOf(skill));
    return URGENT.includes(state) || loaded !== undefined ? [{ skill, state, why, loaded }] : [];
  });
  // Skills from servers are scanned when they are loaded.
  const unscanned = skills.filter(
    (skill) =>
      shownState(skill, verdicts.get(skill), rules) === "unscanned" && !skill.path.startsWith("mcp://"),
  );
  const order: readonly ShownState[] = [...URGENT, "disabled"];
  const lines = firstLines(
    named.toSorted((left, right) => order.indexOf(left.state) - order.indexOf(right.state)),
    MAX_NAMED,
    ({ skill: { qualifiedName: name }, state, why, loaded }) => [
      ...hang(`${name}: ${showSentence(why || STATE_WORDS[state], environment)}`, options, {
        indent: 4,
        lead: `  ${stateMark(state, colours)} `,
        maxLines: REASON_LINES,
      }),
      // Never wrapped: a command must survive copy and paste.
      `    ${colours.cyan(sayingWhere(`skillet explain ${showControl(shellArgument(name))}`, options))}`,
      ...(loaded === undefined
        ? []
        : [
            ...hang(`${loaded.who}. To stop that:`, options, { indent: 4, lead: "    " }),
            `    ${colours.cyan(sayingWhere(showControl(loaded.stop), options))}`,
          ]),
    ],
    (rest) => `    and ${rest} more: ${sayingWhere("skillet show --long", options)}`,
  );
  const waiting = `${count(unscanned.length, "skill")} not scanned yet. To scan: skillet scan --all`;
  const all = [
    ...lines,
    ...(unscanned.length > 0 ? hang(waiting, options, { indent: 4, lead: `  ${colours.yellow("?")} ` }) : []),
  ];
  return all.length === 0 ? [] : [colours.bold("[Needs a look]"), ...all];
}

const URGENT: readonly ShownState[] = ["withheld", "changed", "unavailable", "unwritten"];
