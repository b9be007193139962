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

/** What a key led to. */
export type PickerStep =
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
