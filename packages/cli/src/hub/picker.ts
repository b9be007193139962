import type { Dialog } from "../context/command-context.ts";
import { askOnTerminal, discardTypedAhead, interrupted } from "../context/create-ask.ts";
import type { Colours, Terminal } from "../ui/terminal.ts";
import { displayWidth, hang, stripControl, truncate, wrap } from "../ui/text.ts";

export interface PickerItem {
  readonly name: string;
  readonly description: string;
  readonly note?: string;
}

/** Immutable: every key creates a new state. */
export interface PickerState {
  readonly items: readonly PickerItem[];
  readonly chosen: ReadonlySet<number>;
  readonly query: string;
  /** 0 is the line for all items; the matching items follow. */
  readonly cursor: number;
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

/** Opens a picker with the cursor on the first item; preselected items can be deselected. */
export function openPicker(items: readonly PickerItem[], chosen: readonly number[] = []): PickerState {
  return { items, chosen: new Set(chosen), query: "", cursor: Math.min(1, items.length) };
}

/** Returns the indexes of items with each typed word in name or description; name matches come first. */
export function matchingItems({ items, query }: PickerState): readonly number[] {
  const typed = query.toLocaleLowerCase("en");
  const found = items.flatMap((item, index) => {
    const [name, text] = [item.name, `${item.name} ${item.description}`].map((one) =>
      one.toLocaleLowerCase("en"),
    );
    const at = name?.indexOf(typed) ?? 0;
    const rank = at < 0 ? 2 : Math.min(at, 1);
    return typed.split(" ").every((word) => text?.includes(word)) ? [{ index, rank }] : [];
  });
  return found.sort((left, right) => left.rank - right.rank).map(({ index }) => index);
}

export function choiceOfAll(state: PickerState): "all" | "some" | "none" {
  const matching = matchingItems(state);
  const chosen = matching.filter((index) => state.chosen.has(index)).length;
  if (chosen === 0) return "none";
  return chosen === matching.length ? "all" : "some";
}

export function pressKey(state: PickerState, key: PickerKey): PickerStep {
  const { query, cursor, chosen } = state;
  const matching = matchingItems(state);
  const to = (line: number): PickerStep => ({
    kind: "state",
    state: { ...state, cursor: Math.min(matching.length, Math.max(0, line)) },
  });
  const search = (text: string): PickerStep => {
    const next = { ...state, query: text };
    return { kind: "state", state: { ...next, cursor: Math.min(1, matchingItems(next).length) } };
  };
  const { name = "", sequence = "", ctrl = false, meta = false } = key;
  switch (ctrl && name.length === 1 ? `ctrl-${name}` : name) {
    case "ctrl-c":
      return { kind: "interrupted" };
    case "ctrl-d":
      return { kind: "cancelled" };
    case "escape":
      return query === "" ? { kind: "cancelled" } : search("");
    case "return":
    case "enter":
      // Even if nothing is ticked: the line under the cursor was only looked at, not chosen.
      return { kind: "chosen", indexes: [...chosen].sort((left, right) => left - right) };
    case "up":
      return to(cursor - 1);
    case "down":
      return to(cursor + 1);
    case "pageup":
      return to(cursor - PAGE);
    case "pagedown":
      return to(cursor + PAGE);
    case "home":
      return to(0);
    case "end":
      return to(matching.length);
    case "space":
      return { kind: "state", state: toggled(state, matching) };
    case "backspace":
      return search([...query].slice(0, -1).join(""));
  }
  // Other keys that are not a single visible character do nothing.
  const isText = !ctrl && !meta && [...sequence].length === 1 && /^[^\p{C}\p{Z}]$/u.test(sequence);
  return isText && query.length < MAX_QUERY ? search(query + sequence) : { kind: "state", state };
}

function toggled(state: PickerState, matching: readonly number[]): PickerState {
  const under = matching[state.cursor - 1];
  const meant = under === undefined ? matching : [under];
  const isOff = meant.every((index) => state.chosen.has(index));
  const others = [...state.chosen].filter((index) => !meant.includes(index));
  return { ...state, chosen: new Set(isOff ? others : [...others, ...meant]) };
}

const MAX_ROWS = 12;
const MIN_ROWS = 3;
const PANE_LINES = 3;
// Title, search, all, the pane with its line, help.
const OTHER_LINES = 5 + PANE_LINES;
// Far more than the pane holds.
const MAX_DESCRIPTION = 2_000;

interface PickerScreenOptions {
  readonly title: string;
  readonly columns: number;
  readonly rows: number;
  readonly colours: Colours;
}

/** Draws a picker within the terminal's size; for one list, the number of lines is always the same. */
export function pickerScreen(state: PickerState, options: PickerScreenOptions): readonly string[] {
  const { title, colours, columns, rows } = options;
  const { items, cursor, query } = state;
  const width = Math.max(20, columns - 1);
  const matching = matchingItems(state);
  const room = Math.min(MAX_ROWS, items.length, Math.max(MIN_ROWS, rows - OTHER_LINES - 1));
  const first = Math.max(0, Math.min(cursor - Math.ceil(room / 2), matching.length - room));
  const shown = matching.slice(first, first + room);
  const below = matching.length - first - shown.length;
  const more = [...(first > 0 ? [`${first} above`] : []), ...(below > 0 ? [`${below} below`] : [])];
  const line = (text: string, isUnder: boolean): string => {
    const cut = truncate(`${isUnder ? ">" : " "} ${text}`, width);
    return isUnder ? colours.cyan(cut) : cut;
  };
  const description = items[matching[cursor - 1] ?? -1]?.description.slice(0, MAX_DESCRIPTION) ?? "";
  const pane = wrap(stripControl(description), { width: width - 2, maxLines: PANE_LINES });
  return [
    colours.bold(titleLine(title, width)),
    truncate(`  search: ${query}${colours.isColorSupported ? "▏" : "_"}`, width),
    matching.length === 0 && query !== ""
      ? colours.yellow(line(allWords(state, 0), false))
      : line(allWords(state, matching.length), cursor === 0),
    ...filled(
      shown.map((index, row) => line(itemWords(state, index), cursor === first + row + 1)),
      room,
    ),
    colours.dim(truncate(more.length > 0 ? `  ${more.join(", ")}` : "", width)),
    ...filled(
      pane.map((text) => `  ${text}`),
      PANE_LINES,
    ),
    colours.dim(truncate("space choose · enter done · esc cancel · type to search", width)),
  ];
}

// The question comes last, and matters more than the name of the source.
function titleLine(title: string, width: number): string {
  const question = title.slice(title.lastIndexOf(". ") + 1);
  const room = width - displayWidth(question);
  return room < 2 ? truncate(title, width) : `${truncate(title.slice(0, -question.length), room)}${question}`;
}

// Pads to a fixed number of lines, so that the list does not jump while the cursor moves.
function filled(lines: readonly string[], length: number): readonly string[] {
  return Array.from({ length }, (_, row) => lines[row] ?? "");
}

function allWords(state: PickerState, matching: number): string {
  const { query, chosen } = state;
  const note = chosen.size > 0 ? `, ${chosen.size} chosen` : "";
  if (matching === 0 && query !== "") return `nothing matches ${JSON.stringify(stripControl(query))}${note}`;
  const box = { all: "[x]", some: "[-]", none: "[ ]" }[choiceOfAll(state)];
  return `${box} ${query === "" ? `all ${matching}` : `all matches (${matching})`}${note}`;
}

function itemWords({ items, chosen }: PickerState, index: number): string {
  const { name = "", note } = items[index] ?? {};
  const words = note === undefined ? "" : `  ${stripControl(note)}`;
  return `${chosen.has(index) ? "[x]" : "[ ]"} ${stripControl(name)}${words}`;
}

interface PickRequest {
  readonly title: string;
  readonly items: readonly PickerItem[];
  readonly chosen?: readonly number[];
  readonly signal: AbortSignal;
}

// On a lower screen, a picker would scroll itself away.
const MIN_SCREEN_ROWS = 13;

/** Asks the same question on a terminal that cannot be drawn on. */
async function pickByNumber(
  terminal: Terminal,
  dialog: Dialog,
  { title, items, chosen = [], signal }: PickRequest,
): Promise<readonly number[] | undefined> {
  const numbered = items.map(({ name, note, description }, index) => {
    const lead = `${String(index + 1).padStart(4)}  `;
    const more = note && !description.includes(note) ? ` (${note})` : "";
    return hang(`${name}${more}: ${description}`, terminal.errors, { indent: 6, lead, maxLines: 2 });
  });
  terminal.warn([...hang(title, terminal.errors), ...numbered.flat()]);
  const otherwise = chosen.length > 0 ? chosen.map((index) => index + 1).join(" ") : "none";
  const question = `Numbers, such as 1 3; a: all; n: none [${otherwise}]`;
  const typed = await askOnTerminal(dialog, question, signal);
  signal.throwIfAborted();
  if (typed === undefined) return undefined;
  if (typed === "") return chosen;
  if (/^a(?:ll)?$/i.test(typed)) return items.map((_, index) => index);
  const indexes = typed.split(/[\s,]+/).map((word) => (/^\d{1,6}$/.test(word) ? Number(word) - 1 : -1));
  // An invalid number means no, as everywhere.
  return indexes.every((index) => items[index] !== undefined) ? [...new Set(indexes)] : [];
}

const HIDE_CURSOR = "\x1b[?25l";
const SHOW_CURSOR = "\x1b[?25h";

/** Lets the user choose, by index; undefined if they cancel. Ctrl-C ends the command. */
export async function pick(
  terminal: Terminal,
  dialog: Dialog,
  request: PickRequest,
): Promise<readonly number[] | undefined> {
  const { TERM = "dumb" } = terminal.environment;
  if (TERM === "dumb" || (dialog.output.rows ?? 0) < MIN_SCREEN_ROWS)
    return pickByNumber(terminal, dialog, request);
  const { status, errors } = terminal;
  const { input, output } = dialog;
  const { title, items, chosen, signal } = request;
  status();
  // Not imported: only this code needs it, and code from a code cache cannot import anything later.
  const { emitKeypressEvents } = process.getBuiltinModule("node:readline");
  let state = openPicker(items, chosen);
  let drawn = 0;
  const erase = (): string => (drawn === 0 ? "" : `\x1b[${drawn}A\r\x1b[J`);
  const draw = (): void => {
    const { columns = 80, rows = 24 } = output;
    const lines = pickerScreen(state, { title, columns, rows, colours: errors.colours });
    // Overwrites itself: tmux would save a screen that is erased first in its scrollback, once per key.
    const top = drawn === 0 ? "" : `\x1b[${drawn}A\r`;
    output.write(`${top}${lines.map((line) => `${line}\x1b[K\r\n`).join("")}\x1b[J`);
    drawn = lines.length;
  };
  let resolve = (_: readonly number[] | undefined): void => undefined;
  let reject = (_: unknown): void => undefined;
  const answer = new Promise<readonly number[] | undefined>((onAnswer, onError) => {
    [resolve, reject] = [onAnswer, onError];
  });
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
  emitKeypressEvents(input);
  try {
    discardTypedAhead(input);
    input.setRawMode(true);
    input.on("keypress", onKey);
    input.on("end", onEnd);
    output.on("resize", draw);
    signal.addEventListener("abort", onEnd);
    output.write(HIDE_CURSOR);
    input.resume();
    draw();
    const indexes = await answer;
    signal.throwIfAborted();
    return indexes;
  } finally {
    input.off("keypress", onKey);
    input.off("end", onEnd);
    output.off("resize", draw);
    signal.removeEventListener("abort", onEnd);
    input.setRawMode(false);
    // Otherwise a finished command would wait for keys forever.
    input.pause();
    output.write(`${erase()}${SHOW_CURSOR}`);
  }
}
