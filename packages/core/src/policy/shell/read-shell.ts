import { parseShell, programName } from "@skillet/shell/programs";
import { checkShellText, MAX_COMMAND_BYTES } from "./check-shell-text.ts";
import type { ShellAct, ShellReading, ShellWord } from "./shell-act.ts";
import { startedBy } from "./started-by.ts";
import { walkScript } from "./walk-script.ts";

/** Shells in shells; each holds the text of the next, so there is never much to read. */
const MAX_SHELL_DEPTH = 4;
/** Every rule is held against every one of them. */
const MAX_ACTS = 200;

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

/** `env env env …`: no one writes more than these. */
const MAX_STARTED_DEPTH = 8;

function readCommand(
  words: readonly ShellWord[],
  readText: (text: string) => ShellReading,
  depth: number = 0,
): ShellAct {
  const [first] = words;
  if (first?.kind !== "known" || first.value === "" || depth > MAX_STARTED_DEPTH)
    return {
      kind: "unclear",
      reason: `it is not known which program ${showWord(first)} starts`,
      mayHide: true,
    };
  const program = programName(first.value);
  const runs = startedBy(program, words, {
    readText,
    readCommand: (inner) => readCommand(inner, readText, depth + 1),
  });
  if (runs === undefined) return { kind: "command", words };
  // `./env` may be anything.
  const isTransparent = runs.isTransparent && first.value === program;
  return { kind: "command", words, runs: { ...runs, isTransparent } };
}

function showWord(word: ShellWord | undefined): string {
  return JSON.stringify(word?.kind === "open" ? word.text : (word?.value ?? ""));
}
