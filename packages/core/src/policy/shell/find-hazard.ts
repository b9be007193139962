import { posix } from "node:path";
import { findRow, type Hazards } from "@skillet/shell/programs";
import { knownValue, type ShellWord, textOf } from "./shell-act.ts";

/**
 * Why the wildcard after the `fixed` words of a rule does not cover a command: options that make a program
 * run another, load code or write a file, or words that may become one. Undefined if it covers it.
 */
export function findHazard(words: readonly ShellWord[], fixed: number): string | undefined {
  const [program] = words;
  if (program?.kind !== "known") return "the program is not known";
  const loose = words.slice(fixed);
  for (const word of loose) {
    const problem = findAnyProgramHazard(word);
    if (problem !== undefined) return problem;
  }
  const { starts, interprets, hazards = {} } = findRow(program.value) ?? {};
  if (hazards.never !== undefined) return `${program.value} ${hazards.never}`;
  if (starts !== undefined && starts.subcommands === undefined && !looksUp(words))
    return findStarted(words, fixed);
  // `uv run rm`: the program comes after the subcommand.
  const starter = words.findIndex((word) => word.kind === "known" && starts?.subcommands?.has(word.value));
  if (starter > 0) return findStarted(words.slice(starter), fixed - starter);
  if (interprets?.harmless !== undefined) return findScriptHazard(interprets.harmless, words, fixed);
  const misplaced = findOperandHazard(hazards, words, fixed);
  if (misplaced !== undefined) return misplaced;
  const subcommand = findSubcommand(hazards, words, fixed);
  if (typeof subcommand === "string") return subcommand;
  for (const word of loose) {
    const problem = findOptionHazard(word, hazards) ?? findOptionHazard(word, subcommand);
    if (problem !== undefined) return `${program.value} ${problem}`;
  }
  return undefined;
}

// `command -v` only looks up a name.
function looksUp([program, option]: readonly ShellWord[]): boolean {
  return knownValue(program) === "command" && /^-[vV]$/.test(knownValue(option) ?? "");
}

const RUNS_ANOTHER =
  /^--(?:exec|eval|command|cmd|rsh|shell|pager|editor|browser|plugin|preload|hook|(?:exec|eval|shell|plugin|preload|hook)-[\w-]+|(?!no-)[\w-]+-(?:command|cmd|program|exec|hook|plugin|pager|editor|shell|script))(?:=|$)/;

function findAnyProgramHazard(word: ShellWord): string | undefined {
  if (word.kind === "open") {
    const mayBeOption = word.prefix === "" || /^[-+@]/.test(word.prefix);
    return mayBeOption ? `${word.text} may become an option` : undefined;
  }
  return RUNS_ANOTHER.test(word.value) ? `${word.value} may run another program` : undefined;
}

// `watch git status`: the rule has to name the started program.
function findStarted(words: readonly ShellWord[], fixed: number): string | undefined {
  const at = words.findIndex(
    (word, index) => index > 0 && word.kind === "known" && !word.value.startsWith("-"),
  );
  if (at === -1 || at >= fixed) return "it starts a program that the rule does not name";
  return findHazard(words.slice(at), fixed - at);
}

function findScriptHazard(flags: RegExp, words: readonly ShellWord[], fixed: number): string | undefined {
  for (let index = 1; index < words.length; index += 1) {
    const word = words[index];
    if (word?.kind !== "known") return `${word?.text} may be code`;
    if (flags.test(word.value)) continue;
    // The rule's author meant the words in the rule; those that follow are for the script.
    if (index < fixed) return undefined;
    if (/^(?:--version|-V|--help)$/.test(word.value) && words.length === 2) return undefined;
    // Normalised: from a folder below the root, `../dev/stdin` is the same.
    const isStream = /(?:^|\/)(?:dev|proc)\//.test(posix.normalize(word.value));
    const isFile = !word.value.startsWith("-") && !isStream && word.value !== "inspect";
    return isFile ? undefined : `${word.value} is not a script's file`;
  }
  return "it runs what it reads from its input";
}

function findOperandHazard(
  { operands }: Hazards,
  words: readonly ShellWord[],
  fixed: number,
): string | undefined {
  if (operands === undefined) return undefined;
  const { flags, first, most } = operands;
  let count = 0;
  for (const [index, word] of words.entries()) {
    const value = knownValue(word);
    if (index === 0 || (value !== undefined && flags.test(value))) continue;
    if (value?.startsWith("-")) {
      if (index >= fixed) return `${value} is not judged`;
      continue;
    }
    count += 1;
    if (most !== undefined && count > most) return `${textOf(word)} is an operand too many`;
    const isFirst = count === 1 && first !== undefined && index >= fixed;
    if (isFirst && (value === undefined || !first.test(value))) return `${textOf(word)} is not judged`;
  }
  return undefined;
}

function findSubcommand(
  { subcommands }: Hazards,
  words: readonly ShellWord[],
  fixed: number,
): Hazards | string {
  if (subcommands === undefined) return {};
  for (let index = 1; index < words.length; index += 1) {
    const word = words[index];
    if (word?.kind !== "known") return `${word?.text} stands for a subcommand`;
    if (subcommands.globals.test(word.value)) continue;
    const traits = subcommands.known.get(word.value);
    if (traits !== undefined) return traits;
    return index < fixed ? {} : `${word.value} is not known as a subcommand of its own`;
  }
  return {};
}

function findOptionHazard(word: ShellWord, traits: Hazards): string | undefined {
  const { long = [], short = "", words = [], pattern, safePrefix } = traits;
  if (word.kind === "open") {
    const isSafe = pattern === undefined || safePrefix?.test(word.prefix);
    return isSafe ? undefined : `may not be given ${word.text}`;
  }
  const { value } = word;
  const name = value.split("=", 1)[0] ?? value;
  const isHazard =
    words.some((hazard) => hazard === name || `-${hazard}` === name) ||
    (/^--./.test(name) && long.some((option) => option.startsWith(name.slice(2)))) ||
    (/^-[^-]/.test(name) && [...short].some((letter) => name.includes(letter, 1))) ||
    pattern?.test(value);
  return isHazard ? `may run or write something with ${value}` : undefined;
}
