import { type Access, AccessLog } from "./access-log.ts";
import { exact } from "./command/argument.ts";
import { CommandScope } from "./command/command-scope.ts";
import { type CommandReader, NOTHING } from "./command/program-call.ts";
import { readProgram } from "./command/read-program.ts";
import { readPosix } from "./posix/read-posix.ts";
import { readPowershell } from "./powershell/read-powershell.ts";
import type { AgentEvent } from "./use-detector.ts";

/** Of a longer command the beginning is read; agents write long ones to put text into files. */
const MAX_COMMAND_CHARACTERS = 16_384;
/** The parser's time grows with the square of what is open at once. */
const MAX_OPENERS = 1000;
/** Shells in shells; each holds the text of the next. */
const MAX_TEXT_DEPTH = 6;

/** Everything that a command runs and reads, as far as that shows beforehand. */
export function readAgentCommand(
  { command, cwd, shell = "posix" }: Extract<AgentEvent, { kind: "command" }>,
  { home, variables }: { readonly home: string; readonly variables: ReadonlyMap<string, string> },
): readonly Access[] {
  const log = new AccessLog();
  const known = Array.from(variables, ([name, value]) => [name, exact(value)] as const);
  const scope = new CommandScope(home, cwd, known);
  const reader: CommandReader = {
    log,
    readProgram: (call) => readProgram(call, reader),
    readText: (text, context) => {
      if (context.depth > MAX_TEXT_DEPTH) return NOTHING;
      const read = context.shell === "posix" ? readPosix : readPowershell;
      return read(withinBounds(text), { scope: context.scope, depth: context.depth, reader });
    },
  };
  if (typeof command === "string") reader.readText(command, { shell, scope, depth: 0 });
  else {
    const words = command.map((word) => exact(word.slice(0, MAX_COMMAND_CHARACTERS)));
    reader.readProgram({ words, scope, input: NOTHING, shell, depth: 0 });
  }
  return log.accesses;
}

function withinBounds(text: string): string {
  const cut = text.slice(0, MAX_COMMAND_CHARACTERS);
  let openers = 0;
  for (const { index } of cut.matchAll(/[({[`]|<</g)) {
    openers += 1;
    if (openers > MAX_OPENERS) return cut.slice(0, index);
  }
  return cut;
}
