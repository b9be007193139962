import { findRow, programName } from "@skillet/shell/programs";
import type { ShellRule } from "../../config/tool-rule/tool-rule.ts";
import { readShell } from "./read-shell.ts";
import { knownValue, type ShellAct, type ShellWord } from "./shell-act.ts";

/**
 * Denials decide the other way in doubt: an unknown word may be the denied one, options may come in between,
 * a program may be called by its path, and words may follow whether the rule says so or not.
 */
export function touchesAct(rule: ShellRule, act: ShellAct): boolean {
  if (act.kind === "unclear") return act.mayHide;
  if (act.kind !== "command") return false;
  const { words, runs } = act;
  if (touchesWords(rule, words) || runs?.acts.some((inner) => touchesAct(rule, inner))) return true;
  return (
    runs === undefined &&
    startsOthers(words) &&
    words.slice(1).some((_word, index) => touchesFrom(rule, words, index + 1))
  );
}

// `busybox rm`, `uv run rm`, `watch 'rm x'`: any word may be the program or a whole command.
function startsOthers(words: readonly ShellWord[]): boolean {
  const [program, ...rest] = words;
  if (program?.kind !== "known") return false;
  const starts = findRow(program.value)?.starts;
  if (starts === undefined) return RUNS_TEXT.has(programName(program.value));
  const { subcommands } = starts;
  return (
    subcommands === undefined || rest.some((word) => word.kind === "known" && subcommands.has(word.value))
  );
}

function touchesFrom(rule: ShellRule, words: readonly ShellWord[], index: number): boolean {
  if (touchesWords(rule, words.slice(index))) return true;
  const word = words[index];
  if (word?.kind !== "known" || !/\s/.test(word.value)) return false;
  return readShell(word.value).some((act) => touchesAct(rule, act));
}

// Programs and builtins that take a command as one of their words.
const RUNS_TEXT: ReadonlySet<string> = new Set(["trap"]);

function touchesWords({ words: patterns }: ShellRule, words: readonly ShellWord[]): boolean {
  let at = 0;
  for (const [index, word] of words.entries()) {
    const pattern = patterns[at];
    if (pattern === undefined) return true;
    if (word.kind === "open") return true;
    const { text, match } = pattern;
    const value = index === 0 ? programName(word.value) : word.value;
    const wanted = index === 0 ? programName(text) : text;
    if (match === "any" || value === wanted || (match === "prefix" && value.startsWith(wanted))) at += 1;
    else if (!maySkip(words, index)) return false;
  }
  return at === patterns.length;
}

// `git -C folder push`: an option, or the word after one.
function maySkip(words: readonly ShellWord[], index: number): boolean {
  if (index === 0) return false;
  const isOption = (word: ShellWord | undefined): boolean => knownValue(word)?.startsWith("-") === true;
  return isOption(words[index]) || (index > 1 && isOption(words[index - 1]));
}
