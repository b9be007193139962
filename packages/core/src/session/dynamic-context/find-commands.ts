import { codeSpans } from "../../mention/code-spans.ts";
import { markdownBlocks, type TextRange } from "../../mention/markdown-blocks.ts";

/** A span or block of a body that asks for the output of a command in its place. */
export interface ContextCommand extends TextRange {
  readonly command: string;
}

/** More commands than this in one skill are not run. */
export const MAX_CONTEXT_COMMANDS = 20;

/**
 * Finds `` !`command` `` at the beginning of a line or behind a blank, and blocks fenced with ```` ```! ```` that stand in
 * no list or quote; at most one more than may be run.
 *
 * Examples in code are text, and so is what a backslash stands before.
 */
export function findCommands(body: string): ContextCommand[] {
  const commands: ContextCommand[] = [];
  if (!TRACE.test(body)) return commands;
  for (const command of commandsOf(body)) if (commands.push(command) > MAX_CONTEXT_COMMANDS) break;
  return commands;
}

// Most skills have none, and then nothing needs to be read.
const TRACE = /!`|`!/;

function* commandsOf(body: string): Generator<ContextCommand> {
  for (const block of markdownBlocks(body)) {
    if (block.kind === "prose") yield* spanCommands(body, block.lines);
    else if (block.topLevelFence?.info === "!" && body.charAt(block.start) === "`") {
      const { start, end } = block.topLevelFence.content;
      const command = body.slice(start, end).replaceAll(/\r\n?/g, "\n");
      if (command.trim() !== "") yield { start: block.start, end: block.end, command };
    }
  }
}

function* spanCommands(body: string, lines: readonly TextRange[]): Generator<ContextCommand> {
  let index = 0;
  for (const { start, end, ticks } of codeSpans(body, lines)) {
    while ((lines[index]?.end ?? Number.POSITIVE_INFINITY) <= start) index++;
    const line = lines[index];
    const mark = start - 1;
    if (line === undefined || ticks !== 1 || end > line.end || mark < line.start) continue;
    if (body.charAt(mark) !== "!" || !(mark === line.start || /[ \t]/.test(body.charAt(mark - 1)))) continue;
    const command = body.slice(start + 1, end - 1);
    if (command.trim() !== "") yield { start: mark, end, command };
  }
}
