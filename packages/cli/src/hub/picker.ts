import { truncate, wrap } from "../ui/fit-text.ts";
import { stripControl } from "../ui/strip-control.ts";
import type { Colours } from "../ui/terminal.ts";

/** One line of a picker. */
export interface PickerItem {
  readonly name: string;
  readonly description: string;
  /** Shown beside the name, such as `plugin`. */
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

/** A key as `node:readline` tells it. */
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

/** Whether all, some or none of the items that match are chosen. */
export function choiceOfAll(state: PickerState): "all" | "some" | "none" {
  const matching = matchingItems(state);
  const chosen = matching.filter((index) => state.chosen.has(index)).length;
  if (chosen === 0) return "none";
  return chosen === matching.length ? "all" : "some";
}

/** What one key does. */
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

interface LineOptions {
  readonly width: number;
  readonly colours: Colours;
}

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
