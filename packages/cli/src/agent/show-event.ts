import type { AgentEvent, TokenUse } from "@skillet/agent";
import type { AgentPrices } from "@skillet/core";
import type { CommandContext } from "../context/command-context.ts";
import { LiveText } from "../run/live-output.ts";
import { hang, showControl, truncate } from "../ui/text.ts";
import { describeCall } from "./ask-person.ts";

const BY: Readonly<Record<string, string>> = {
  message: "you named it",
  model: "the model asked for it",
  preload: "--skill",
  selection: "it fits your message",
};
/** Lines shown per result: enough to see what a command wrote, and a little of what a sub-agent says. */
const SHOWN_LINES: ReadonlyMap<string, number> = new Map([
  ["Bash", 8],
  ["delegate", 2],
]);

/** Limits events of one line on a narrow screen: a call may contain a whole file. */
const MAX_LINES = 3;

/** Shows an agent's events: its text on standard output, everything else on standard error. */
export function createEventScreen(
  { terminal, workspace }: CommandContext,
  prices: AgentPrices,
): { readonly show: (event: AgentEvent) => void; readonly end: () => void } {
  const { colours } = terminal.errors;
  const live = new LiveText();
  let isOpen = false;
  const write = (text: string): void => {
    if (text === "") return;
    terminal.printRaw(text);
    isOpen = !text.endsWith("\n");
  };
  const end = (): void => {
    if (terminal.isTerminal) write(live.end());
    if (isOpen) write("\n");
  };
  const line = (text: string, child?: number): void => {
    end();
    const width = terminal.errors.width - 1;
    const from = child === undefined ? "" : `[${child}] `;
    // Output of commands keeps its columns.
    const lines = text.startsWith(" ")
      ? [truncate(`${from}${showControl(text)}`, width)]
      : hang(`${from}${text}`, { width }, { maxLines: MAX_LINES });
    terminal.warn(lines.map(colours.dim));
  };
  const show = (event: AgentEvent): void => {
    const { child } = event;
    if (event.type === "text" && child === undefined)
      write(terminal.isTerminal ? live.push(Buffer.from(event.text)) : event.text);
    for (const text of linesOf(event, prices, workspace)) line(text, child);
  };
  return { show, end };
}

function showTokens({ input, cached, output }: TokenUse, prices: AgentPrices): string {
  const tokens = `${input.toLocaleString("en")} tokens in${cached > 0 ? ` (${cached.toLocaleString("en")} cached)` : ""}, ${output.toLocaleString("en")} out`;
  if (prices.input === undefined || prices.output === undefined) return tokens;
  const cost =
    (input - cached) * prices.input + cached * (prices.cached ?? prices.input) + output * prices.output;
  return `${tokens}, ${(cost / 1_000_000).toFixed(4)}`;
}

function linesOf(event: AgentEvent, prices: AgentPrices, workspace: string): readonly string[] {
  switch (event.type) {
    case "skill":
      return [`● skill ${event.name} (${BY[event.by] ?? event.by})`];
    case "child":
      return [`○ a sub-agent begins: ${event.task}`];
    case "call":
      return [`→ ${describeCall(event.tool, event.input, workspace)}`];
    case "result":
      return resultLines(event);
    case "compacted":
      return [`○ ${event.messages} messages were shortened to a summary; loaded skills stay`];
    case "notice":
      return [`! ${event.text}`];
    case "tokens":
      return event.use.input + event.use.output === 0 ? [] : [showTokens(event.use, prices)];
    default:
      return [];
  }
}

function resultLines({ tool, isError, text }: Extract<AgentEvent, { type: "result" }>): readonly string[] {
  const lines = text.trimEnd().split("\n");
  if (isError) return [`✗ ${lines.join(" ")}`];
  const most = SHOWN_LINES.get(tool) ?? 0;
  if (most === 0) return [];
  const rest = lines.length - most;
  return [...lines.slice(0, most).map((one) => `  ${one}`), ...(rest > 0 ? [`  … ${rest} more lines`] : [])];
}
