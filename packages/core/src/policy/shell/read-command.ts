import { programName } from "@skillet/shell/programs";
import type { ShellAct, ShellReading, ShellWord } from "./shell-act.ts";
import { startedBy } from "./started-by.ts";

/** `env env env …`: no one writes more than these. */
const MAX_STARTED_DEPTH = 8;

/** Reads a simple command, and what `env`, `sudo`, `bash -c` and the like start. */
export function readCommand(
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
