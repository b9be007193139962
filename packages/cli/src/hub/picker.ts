import type { InstallRequest, Offer } from "@skillet/hub";
import { CliError } from "../context/cli-error.ts";
import type { CommandContext } from "../context/command-context.ts";
import { askOnTerminal, type Dialog, interrupted } from "../context/create-ask.ts";
import { loadInstalling } from "../load-beside.ts";
import type { Colours, Layout, Terminal } from "../ui/terminal.ts";
import { stripControl, truncate, wrap } from "../ui/text.ts";
import type { CommandHub, HubWork } from "./with-hub.ts";

export interface PickerItem {
  readonly name: string;
  readonly description: string;
  readonly note?: string;
}

/** Everything that a picker knows; every key makes another one. */
export interface PickerState {
  readonly items: readonly PickerItem[];
  readonly chosen: ReadonlySet<number>;
  readonly query: string;
  /** 0 is the line for all; then the items that match. */
  readonly cursor: number;
  /** Nothing is an answer too; otherwise the line under the cursor is meant where nothing is chosen. */
  readonly mayBeNone: boolean;
}

export interface PickerKey {
  readonly name?: string | undefined;
  readonly sequence?: string | undefined;
  readonly ctrl?: boolean | undefined;
  readonly meta?: boolean | undefined;
}

type PickerStep =
  | { readonly kind: "state"; readonly state: PickerState }
  | { readonly kind: "chosen"; readonly indexes: readonly number[] }
  | { readonly kind: "cancelled" }
  | { readonly kind: "interrupted" };

const PAGE = 10;
const MAX_QUERY = 80;

/** A picker as it begins, the cursor on the first item; where something is chosen beforehand, all of it can be taken back. */
export function openPicker(items: readonly PickerItem[], chosen: readonly number[] = []): PickerState {
  const cursor = Math.min(1, items.length);
  return { items, chosen: new Set(chosen), query: "", cursor, mayBeNone: chosen.length > 0 };
}

/** The items that the query leaves, by index: each word must occur in name or description. */
export function matchingItems({ items, query }: PickerState): readonly number[] {
  const words = query
    .toLocaleLowerCase("en")
    .split(" ")
    .filter((word) => word !== "");
  return items.flatMap(({ name, description }, index) => {
    const text = `${name} ${description}`.toLocaleLowerCase("en");
    return words.every((word) => text.includes(word)) ? [index] : [];
  });
}

export function choiceOfAll(state: PickerState): "all" | "some" | "none" {
  const matching = matchingItems(state);
  const chosen = matching.filter((index) => state.chosen.has(index)).length;
  if (chosen === 0) return "none";
  return chosen === matching.length ? "all" : "some";
}

export function pressKey(state: PickerState, key: PickerKey): PickerStep {
  const { name, ctrl = false } = key;
  if (ctrl && name === "c") return { kind: "interrupted" };
  if (ctrl && name === "d") return { kind: "cancelled" };
  if (name === "escape")
    return state.query === "" ? { kind: "cancelled" } : { kind: "state", state: withQuery(state, "") };
  if (name === "return" || name === "enter") return confirm(state);
  return { kind: "state", state: moved(state, key) ?? typed(state, key) };
}

function confirm(state: PickerState): PickerStep {
  const matching = matchingItems(state);
  const under = matching[state.cursor - 1];
  if (state.chosen.size > 0 || state.mayBeNone)
    return { kind: "chosen", indexes: [...state.chosen].sort((left, right) => left - right) };
  return under === undefined ? { kind: "state", state } : { kind: "chosen", indexes: [under] };
}

function moved(state: PickerState, { name, ctrl = false }: PickerKey): PickerState | undefined {
  const last = matchingItems(state).length;
  const to = (cursor: number): PickerState => ({ ...state, cursor: Math.min(last, Math.max(0, cursor)) });
  if (name === "up" || (ctrl && name === "p")) return to(state.cursor - 1);
  if (name === "down" || (ctrl && name === "n")) return to(state.cursor + 1);
  if (name === "pageup") return to(state.cursor - PAGE);
  if (name === "pagedown") return to(state.cursor + PAGE);
  if (name === "home") return to(0);
  return name === "end" ? to(last) : undefined;
}

function typed(
  state: PickerState,
  { name, sequence = "", ctrl = false, meta = false }: PickerKey,
): PickerState {
  if (name === "space") return toggled(state);
  if (name === "backspace") return withQuery(state, [...state.query].slice(0, -1).join(""));
  if (ctrl && name === "u") return withQuery(state, "");
  // Everything that is no single visible character is a key that means nothing here.
  const isText = !ctrl && !meta && [...sequence].length === 1 && /^[^\p{C}\p{Z}]$/u.test(sequence);
  return isText && state.query.length < MAX_QUERY ? withQuery(state, state.query + sequence) : state;
}

function toggled(state: PickerState): PickerState {
  const matching = matchingItems(state);
  const chosen = new Set(state.chosen);
  const under = matching[state.cursor - 1];
  if (under === undefined) {
    const isAll = choiceOfAll(state) === "all";
    for (const index of matching) {
      if (isAll) chosen.delete(index);
      else chosen.add(index);
    }
  } else if (!chosen.delete(under)) chosen.add(under);
  return { ...state, chosen };
}

function withQuery(state: PickerState, query: string): PickerState {
  const next = { ...state, query };
  return { ...next, cursor: Math.min(1, matchingItems(next).length) };
}

const MAX_ROWS = 12;
const MIN_ROWS = 3;
const PANE_LINES = 3;
// Title, search, all, the pane with its line, help.
const OTHER_LINES = 5 + PANE_LINES;

interface PickerScreenOptions {
  readonly title: string;
  readonly columns: number;
  readonly rows: number;
  readonly colours: Colours;
}

/** The lines of a picker, never wider or higher than the terminal, always as many for one list. */
export function pickerScreen(state: PickerState, options: PickerScreenOptions): readonly string[] {
  const { title, colours } = options;
  const width = Math.max(20, options.columns - 1);
  const matching = matchingItems(state);
  const room = Math.min(MAX_ROWS, state.items.length, Math.max(MIN_ROWS, options.rows - OTHER_LINES - 1));
  const first = Math.max(0, Math.min(state.cursor - Math.ceil(room / 2), matching.length - room));
  const rows = Array.from({ length: room }, (_, row) =>
    itemLine(state, matching[first + row], {
      isUnder: state.cursor === first + row + 1 && first + row < matching.length,
      width,
      colours,
    }),
  );
  const hidden = matching.length - Math.min(room, matching.length - first) - first;
  const more = [first > 0 ? `${first} above` : "", hidden > 0 ? `${hidden} below` : ""].filter(
    (text) => text !== "",
  );
  return [
    colours.bold(truncate(title, width)),
    truncate(`  search: ${state.query}${colours.isColorSupported ? "▏" : "_"}`, width),
    allLine(state, matching.length, { width, colours }),
    ...rows,
    colours.dim(truncate(more.length > 0 ? `  ${more.join(", ")}` : "", width)),
    ...pane(state, matching, width),
    colours.dim(truncate("space choose · enter done · esc cancel · type to search", width)),
  ];
}

type LineOptions = Pick<Layout, "width" | "colours">;

function allLine(state: PickerState, matching: number, { width, colours }: LineOptions): string {
  const box = { all: "[x]", some: "[-]", none: "[ ]" }[choiceOfAll(state)];
  if (matching === 0 && state.query !== "") {
    const line = truncate(
      `  nothing matches ${JSON.stringify(stripControl(state.query))}${chosenWords(state)}`,
      width,
    );
    return colours.yellow(line);
  }
  const what = state.query === "" ? `all ${matching}` : `all ${matching} that match`;
  const line = truncate(`${state.cursor === 0 ? ">" : " "} ${box} ${what}${chosenWords(state)}`, width);
  return state.cursor === 0 ? colours.cyan(line) : line;
}

function chosenWords({ chosen }: PickerState): string {
  return chosen.size > 0 ? `, ${chosen.size} chosen` : "";
}

function itemLine(
  state: PickerState,
  index: number | undefined,
  { isUnder, width, colours }: LineOptions & { readonly isUnder: boolean },
): string {
  const item = index === undefined ? undefined : state.items[index];
  if (item === undefined || index === undefined) return "";
  const box = state.chosen.has(index) ? "[x]" : "[ ]";
  const name = stripControl(item.name);
  const note = item.note === undefined ? "" : `  ${stripControl(item.note)}`;
  const line = truncate(`${isUnder ? ">" : " "} ${box} ${name}${note}`, width);
  return isUnder ? colours.cyan(line) : line;
}

// Always as many lines, so that the list does not jump while somebody walks through it.
function pane(state: PickerState, matching: readonly number[], width: number): readonly string[] {
  const item = state.items[matching[state.cursor - 1] ?? -1];
  const text = item === undefined ? "" : stripControl(item.description.slice(0, MAX_DESCRIPTION));
  const lines = wrap(text, { width: width - 2, maxLines: PANE_LINES });
  return Array.from({ length: PANE_LINES }, (_, row) => (lines[row] === undefined ? "" : `  ${lines[row]}`));
}

// Far more than the pane holds.
const MAX_DESCRIPTION = 2_000;

interface PickRequest {
  readonly title: string;
  readonly items: readonly PickerItem[];
  readonly chosen?: readonly number[];
  readonly signal: AbortSignal;
}

/** Lets somebody choose on a terminal, by index; undefined when they would rather not; Ctrl-C ends the command. */
function pick(
  { terminal, environment }: Pick<CommandContext, "terminal" | "environment">,
  dialog: Dialog,
  request: PickRequest,
): Promise<readonly number[] | undefined> {
  const isPlain =
    environment.TERM === undefined ||
    environment.TERM === "dumb" ||
    (dialog.output.rows ?? 0) < MIN_SCREEN_ROWS;
  return isPlain ? pickByNumber(terminal, dialog, request) : pickOnScreen(terminal, dialog, request);
}

// Below it a picker would scroll away from itself.
const MIN_SCREEN_ROWS = 13;

const HIDE_CURSOR = "\x1b[?25l";
const SHOW_CURSOR = "\x1b[?25h";

async function pickOnScreen(
  { errors: { colours } }: Terminal,
  { input, output }: Dialog,
  { title, items, chosen = [], signal }: PickRequest,
): Promise<readonly number[] | undefined> {
  // Not imported: it is wanted here alone, and code from a code cache cannot import anything later.
  const { emitKeypressEvents } = process.getBuiltinModule("node:readline");
  let state: PickerState = openPicker(items, chosen);
  let drawn = 0;
  const erase = (): string => (drawn === 0 ? "" : `\x1b[${drawn}A\r\x1b[J`);
  const draw = (): void => {
    const { columns = 80, rows = 24 } = output;
    const lines = pickerScreen(state, { title, columns, rows, colours });
    output.write(`${erase()}${lines.join("\r\n")}\r\n`);
    drawn = lines.length;
  };
  let restore = (): void => undefined;
  try {
    return await new Promise((resolve, reject) => {
      const onKey = (_: string | undefined, key: PickerKey): void => {
        const step = pressKey(state, key);
        if (step.kind === "chosen") resolve(step.indexes);
        else if (step.kind === "cancelled") resolve(undefined);
        else if (step.kind === "interrupted") reject(interrupted());
        else {
          state = step.state;
          draw();
        }
      };
      const onEnd = (): void => resolve(undefined);
      restore = () => {
        input.off("keypress", onKey);
        input.off("end", onEnd);
        output.off("resize", draw);
        signal.removeEventListener("abort", onEnd);
        input.setRawMode(false);
        // Otherwise a command that is done would wait for keys for ever.
        input.pause();
        output.write(`${erase()}${SHOW_CURSOR}`);
      };
      emitKeypressEvents(input);
      input.setRawMode(true);
      input.on("keypress", onKey);
      input.on("end", onEnd);
      output.on("resize", draw);
      signal.addEventListener("abort", onEnd);
      output.write(HIDE_CURSOR);
      input.resume();
      draw();
    });
  } finally {
    restore();
  }
}

const MAX_NUMBERED = 200;

async function pickByNumber(
  terminal: Terminal,
  dialog: Dialog,
  { title, items, chosen = [], signal }: PickRequest,
): Promise<readonly number[] | undefined> {
  terminal.warn(title);
  for (const [index, { name }] of items.slice(0, MAX_NUMBERED).entries())
    terminal.warn(`  ${index + 1}${chosen.includes(index) ? "*" : " "} ${stripControl(name)}`);
  if (items.length > MAX_NUMBERED) terminal.warn(`  and ${items.length - MAX_NUMBERED} more, by name`);
  const usual = chosen.length > 0 ? "enter for those with *" : "enter for none";
  const answer = await askOnTerminal(dialog, `Which ones? Numbers or names, or all; ${usual}:`, signal);
  if (answer === undefined) return undefined;
  const words = answer.split(/[\s,]+/).filter((word) => word !== "");
  if (words.length === 0) return chosen.length > 0 ? chosen : undefined;
  if (words.length === 1 && words[0] === "all") return items.map((_, index) => index);
  const indexes = words.map((word) =>
    /^\d+$/.test(word) ? Number(word) - 1 : items.findIndex(({ name }) => name === word),
  );
  const wrong = words.find((_, at) => items[indexes[at] ?? -1] === undefined);
  if (wrong === undefined) return [...new Set(indexes)].sort((left, right) => left - right);
  terminal.warn(`There is no ${stripControl(wrong)} in the list.`);
  return undefined;
}

/** Whose folders get what is installed: by the command line, by the config, else whoever a person picks of those in use. */
export async function chooseAgents(
  context: CommandContext,
  { scope, userHome, config }: Pick<CommandHub, "scope" | "userHome" | "config">,
  {
    agents,
    yes,
    signal,
  }: Pick<HubWork, "signal"> & {
    readonly agents: readonly string[] | undefined;
    readonly yes: boolean;
  },
): Promise<readonly string[]> {
  if (agents !== undefined) return agents;
  if (config.hub.agents.length > 0) return config.hub.agents;
  const { dialog, json, environment } = context;
  if (dialog === undefined || json || yes) return [];
  const { AGENTS, detectAgents } = loadInstalling();
  const places = { userHome, environment };
  const used = new Set(detectAgents(places));
  const offered = AGENTS.filter((agent) => used.has(agent.id)).flatMap((agent) => {
    const folder = scope.kind === "user" ? agent.user?.(places) : agent.project;
    // Those read Skillet's own folder in a project.
    return folder === undefined || folder === ".agents/skills" ? [] : [{ id: agent.id, folder }];
  });
  if (offered.length === 0) return [];
  const indexes = await pick(context, dialog, {
    title: "Which of these agents get it too? (esc: none)",
    items: offered.map(({ id, folder }) => ({ name: id, description: `by a link in ${folder}` })),
    chosen: offered.map((_, index) => index),
    signal,
  });
  signal.throwIfAborted();
  return (indexes ?? []).flatMap((index) => offered[index]?.id ?? []);
}

/** Lets a person choose what to install of a source that holds several; absent where nobody is there. */
export function chooseOffers(
  context: CommandContext,
  { progress, signal }: HubWork,
  source: string,
): InstallRequest["choose"] {
  const { dialog, json } = context;
  if (dialog === undefined || json) return undefined;
  return async (offers) => {
    progress.clear();
    const title = `${source} holds ${offers.length} skills and plugins. Which ones?`;
    const indexes = await pick(context, dialog, { title, items: offers.map(itemOf), signal });
    signal.throwIfAborted();
    if (indexes === undefined || indexes.length === 0)
      throw new CliError("nothing-chosen", "Nothing was chosen, so nothing was installed.", {
        exitCode: 1,
        hints: ["Name what you want with --skill NAME, or pass --all."],
      });
    return indexes.flatMap((index) => offers[index] ?? []);
  };
}

function itemOf({ name, description, kind, plugin }: Offer): PickerItem {
  const note = kind === "plugin" ? "plugin" : plugin === undefined ? undefined : `of ${plugin}`;
  return { name, description, ...(note !== undefined && { note }) };
}
