import { parseShell } from "@skillet/shell/programs";
import { checkShellText, MAX_COMMAND_BYTES } from "./check-shell-text.ts";
import { readCommand } from "./read-command.ts";
import type { ShellReading, ShellWord } from "./shell-act.ts";
import { walkScript } from "./walk-script.ts";

/** Shells in shells; each holds the text of the next, so there is never much to read. */
const MAX_SHELL_DEPTH = 4;
/** Every rule is held against every one of them. */
const MAX_ACTS = 200;

/** Lists what a command for a shell does: every program, file and part that cannot be judged. */
export function readShell(text: string, depth: number = 0): ShellReading {
  const problem = depth > MAX_SHELL_DEPTH ? "it starts shells in shells" : checkShellText(text);
  if (problem !== undefined) return [{ kind: "unclear", reason: problem, mayHide: true }];
  const acts = walkScript(parseShell(text), { pos: 0, end: text.length }, text, (words) =>
    readCommand(words, (inner) => readShell(inner, depth + 1)),
  );
  return acts.length <= MAX_ACTS
    ? acts
    : [{ kind: "unclear", reason: "it does too many things", mayHide: true }];
}

/** The same for a program and its arguments that no shell sees. */
export function readArguments(argv: readonly string[]): ShellReading {
  const size = argv.reduce((sum, word) => sum + Buffer.byteLength(word) + 1, 0);
  if (size > MAX_COMMAND_BYTES)
    return [{ kind: "unclear", reason: "it is longer than 4 KiB", mayHide: true }];
  const words = argv.map((value): ShellWord => ({ kind: "known", value }));
  return [readCommand(words, readShell)];
}
