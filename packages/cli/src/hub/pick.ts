import type { CommandContext, Dialog } from "../command-context.ts";
import { askOnTerminal } from "../ui/ask-on-terminal.ts";
import { interrupted } from "../ui/interrupted.ts";
import { stripControl } from "../ui/strip-control.ts";
import type { Terminal } from "../ui/terminal.ts";
import { openPicker, type PickerItem, type PickerKey, type PickerState, pressKey } from "./picker.ts";
import { pickerScreen } from "./picker-screen.ts";

/** What somebody is asked to choose from. */
export interface PickRequest {
  readonly title: string;
  readonly items: readonly PickerItem[];
  /** Chosen from the beginning, by index. */
  readonly chosen?: readonly number[];
  readonly signal: AbortSignal;
}

/** Lets somebody choose on a terminal, by index; undefined when they would rather not; Ctrl-C ends the command. */
export function pick(
  { terminal, environment }: Pick<CommandContext, "terminal" | "environment">,
  dialog: Dialog,
  request: PickRequest,
): Promise<readonly number[] | undefined> {
  const isPlain =
    environment.TERM === undefined || environment.TERM === "dumb" || (dialog.output.rows ?? 0) < MIN_ROWS;
  return isPlain ? pickByNumber(terminal, dialog, request) : pickOnScreen(terminal, dialog, request);
}

// Below it a picker would scroll away from itself.
const MIN_ROWS = 13;

const HIDE_CURSOR = "\x1b[?25l";
const SHOW_CURSOR = "\x1b[?25h";

async function pickOnScreen(
  { errorColours: colours }: Terminal,
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
