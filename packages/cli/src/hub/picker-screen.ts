import { truncate, wrap } from "../ui/fit-text.ts";
import { stripControl } from "../ui/strip-control.ts";
import type { Colours } from "../ui/terminal.ts";
import { choiceOfAll, matchingItems, type PickerState } from "./picker.ts";

const MAX_ROWS = 12;
const MIN_ROWS = 3;
const PANE_LINES = 3;
// Title, search, all, the pane with its line, help.
const OTHER_LINES = 5 + PANE_LINES;

/** How a picker is drawn. */
export interface PickerScreenOptions {
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
