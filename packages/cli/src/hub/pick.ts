import type { InstallRequest, Offer } from "@skillet/hub";
import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../context/command-context.ts";
import { loadInstalling } from "../load-beside.ts";
import { askOnTerminal, type Dialog, interrupted } from "../ui/ask-on-terminal.ts";
import type { ProgressLine } from "../ui/progress-bar.ts";
import { stripControl } from "../ui/strip-control.ts";
import type { Terminal } from "../ui/terminal.ts";
import {
  openPicker,
  type PickerItem,
  type PickerKey,
  type PickerState,
  pickerScreen,
  pressKey,
} from "./picker.ts";
import type { CommandHub } from "./with-hub.ts";

interface PickRequest {
  readonly title: string;
  readonly items: readonly PickerItem[];
  /** Chosen from the beginning, by index. */
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

/** Whose folders get what is installed: by the command line, by the config, else whoever a person picks of those in use. */
export async function chooseAgents(
  context: CommandContext,
  { scope, userHome, config }: Pick<CommandHub, "scope" | "userHome" | "config">,
  options: {
    readonly agents: readonly string[] | undefined;
    readonly yes: boolean;
    readonly signal: AbortSignal;
  },
): Promise<readonly string[]> {
  const { agents, yes, signal } = options;
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
  options: { readonly source: string; readonly progress: ProgressLine; readonly signal: AbortSignal },
): InstallRequest["choose"] {
  const { dialog, json } = context;
  if (dialog === undefined || json) return undefined;
  const { source, progress, signal } = options;
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

function itemOf({ name, description, kind, plugin }: Offer): {
  readonly name: string;
  readonly description: string;
  readonly note?: string;
} {
  const note = kind === "plugin" ? "plugin" : plugin === undefined ? undefined : `of ${plugin}`;
  return { name, description, ...(note !== undefined && { note }) };
}
