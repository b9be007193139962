import type { ParsedScript } from "unbash";
import type { SourceText } from "../../text/source-text.ts";
import type { Analysis } from "../analyser.ts";
import { guardShellText } from "./guard-shell-text.ts";
import { noteTokens } from "./note-tokens.ts";
import { parseShell } from "./parse-shell.ts";
import { ShellMachine } from "./shell-machine.ts";
import { stripPrompts } from "./strip-prompts.ts";

/** Reads shell commands by a real parse: follows data through pipes, variables, files and inner shells. */
export function analyseShell(source: SourceText): Analysis {
  const guarded = guardShellText(source.text.replaceAll("\r\n", " \n"));
  const isScript = source.medium === "script";
  const text = isScript ? guarded.text : stripPrompts(guarded.text);
  const machine = new ShellMachine(source);
  if (guarded.unread !== undefined) machine.recorder.unread(guarded.unread);
  noteTokens(text, machine);
  const script = parseShell(text);
  machine.run(script, text);
  if (hasFaults(script)) {
    runByLines(text, source, machine);
    if (isScript && source.chain.length === 0)
      machine.recorder.unread(`a shell script does not parse: ${script.errors?.[0]?.message}`);
  }
  machine.finish();
  return machine.recorder.analysis;
}

function hasFaults({ errors }: ParsedScript): boolean {
  return errors !== undefined && errors.length > 0;
}

/**
 * Reads each line for itself.
 *
 * A fence is often no whole script: `<placeholder>`, an ellipsis, a stray quote.
 * The parser recovers, but one open quote may swallow every command behind it.
 */
function runByLines(text: string, source: SourceText, machine: ShellMachine): void {
  let line = source.firstLine;
  let pending = "";
  let pendingLine = line;
  for (const piece of text.split("\n")) {
    if (pending === "") pendingLine = line;
    line++;
    pending += piece;
    if (/(?:\\|\||&&)\s*$/.test(piece) && pending.length < MAX_JOINED_CHARACTERS) {
      pending += "\n";
      continue;
    }
    if (pending.trim() !== "") machine.runPart(pending, pendingLine);
    pending = "";
  }
  if (pending.trim() !== "") machine.runPart(pending, pendingLine);
}

const MAX_JOINED_CHARACTERS = 16 * 1024;
