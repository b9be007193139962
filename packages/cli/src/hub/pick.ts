import type { InstallRequest } from "@skillet/hub";
import { CliError } from "../context/cli-error.ts";
import type { CommandContext, Dialog } from "../context/command-context.ts";
import { askOnTerminal, interrupted } from "../context/create-ask.ts";
import { loadInstalling } from "../load-beside.ts";
import { openPicker, type PickerItem, type PickerKey, pickerScreen, pressKey } from "../ui/picker.ts";
import type { Terminal } from "../ui/terminal.ts";
import { stripControl } from "../ui/text.ts";
import type { HubWork } from "./with-hub.ts";

interface PickRequest {
  readonly title: string;
  readonly items: readonly PickerItem[];
  readonly chosen?: readonly number[];
  readonly signal: AbortSignal;
}

// On a lower screen a picker would scroll away from itself.
const MIN_SCREEN_ROWS = 13;

/** Lets a person choose on a terminal, by index; undefined when they cancel; Ctrl-C ends the command. */
async function pick(
  { terminal, environment }: Pick<CommandContext, "terminal" | "environment">,
  dialog: Dialog,
  request: PickRequest,
): Promise<readonly number[] | undefined> {
  const { TERM = "dumb" } = environment;
  const isPlain = TERM === "dumb" || (dialog.output.rows ?? 0) < MIN_SCREEN_ROWS;
  const indexes = await (isPlain ? pickByNumber : pickOnScreen)(terminal, dialog, request);
  request.signal.throwIfAborted();
  return indexes;
}

const HIDE_CURSOR = "\x1b[?25l";
const SHOW_CURSOR = "\x1b[?25h";

async function pickOnScreen(
  { errors: { colours } }: Terminal,
  { input, output }: Dialog,
  { title, items, chosen, signal }: PickRequest,
): Promise<readonly number[] | undefined> {
  // Not imported: it is wanted here alone, and code from a code cache cannot import anything later.
  const { emitKeypressEvents } = process.getBuiltinModule("node:readline");
  let state = openPicker(items, chosen);
  let drawn = 0;
  const erase = (): string => (drawn === 0 ? "" : `\x1b[${drawn}A\r\x1b[J`);
  const draw = (): void => {
    const { columns = 80, rows = 24 } = output;
    const lines = pickerScreen(state, { title, columns, rows, colours });
    output.write(`${erase()}${lines.join("\r\n")}\r\n`);
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
    input.setRawMode(true);
    input.on("keypress", onKey);
    input.on("end", onEnd);
    output.on("resize", draw);
    signal.addEventListener("abort", onEnd);
    output.write(HIDE_CURSOR);
    input.resume();
    draw();
    return await answer;
  } finally {
    input.off("keypress", onKey);
    input.off("end", onEnd);
    output.off("resize", draw);
    signal.removeEventListener("abort", onEnd);
    input.setRawMode(false);
    // Otherwise a command that is done would wait for keys for ever.
    input.pause();
    output.write(`${erase()}${SHOW_CURSOR}`);
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

/** The agents whose folders get what is installed: those of the command line or the config, else those picked of those in use. */
export async function chooseAgents(
  context: CommandContext,
  { scope, userHome, config, signal }: HubWork,
  { agents, yes }: { readonly agents: readonly string[] | undefined; readonly yes: boolean },
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
  return (indexes ?? []).flatMap((index) => offered[index]?.id ?? []);
}

/** Lets a person choose what to install of a source that holds several; undefined without a terminal. */
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
    const items = offers.map(({ name, description, kind, plugin }) => {
      const note = kind === "plugin" ? "plugin" : plugin && `of ${plugin}`;
      return { name, description, ...(note !== undefined && { note }) };
    });
    const indexes = (await pick(context, dialog, { title, items, signal })) ?? [];
    if (indexes.length === 0)
      throw new CliError("nothing-chosen", "Nothing was chosen, so nothing was installed.", {
        exitCode: 1,
        hints: ["Name what you want with --skill NAME, or pass --all."],
      });
    return indexes.flatMap((index) => offers[index] ?? []);
  };
}
