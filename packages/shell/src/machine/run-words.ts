import { matchesName, parseName } from "@skillet/kit/glob";
import { Call } from "../model/call.ts";
import { nameOf, plainPath } from "../model/files.ts";
import { EMPTY, foreignSources, known, type Value } from "../model/value.ts";
import { findProgram, isBuiltin, isPrecise } from "../programs/find-program.ts";
import { isMiner } from "../programs/signs.ts";
import { noteUnknownWay, printedByWords } from "../programs/unknown-way.ts";
import { words } from "../table/program-row.ts";
import type { NodeRunner } from "./node-runner.ts";
import type { ShellMachine } from "./shell-machine.ts";

const MAX_RECORDED_ARGUMENTS = 16;

export function runWords(
  given: readonly Value[],
  input: Value | undefined,
  { machine, nodes, isBackground }: Runner,
): Value {
  const [name, ...words] = given;
  if (name === undefined) return EMPTY;
  // `$line`, if the line was read from the network.
  machine.flow(foreignSources(name), { type: "execute", how: "shell", by: "the shell itself" });
  const alias = machine.aliases.get(name.text) ?? machine.aliases.get(plainPath(name.text));
  if (alias !== undefined && !alias.startsWith(name.text)) return runAlias(alias, words, input, machine);
  const own = nodes.callFunction(name.text, words, input);
  if (own !== undefined) return own;
  const path = resolveGlobName(name.text);
  const program = nameOf(path)
    .toLowerCase()
    .replace(/\.(?:exe|cmd|bat|com)$/, "");
  // Documents mention `$LOGFILE` alone: a single word that names a data file is not run.
  const isNamed = words.length === 0 && /\.(?:log|txt|json|csv|md|ya?ml|html|xml|png|jpe?g|pdf)$/i.test(path);
  return machine.start(given, program, () => {
    if (!isNamed && /[/\\]|\.(?:exe|bat|cmd|com|ps1|vbs|msi|scr)$/i.test(path)) {
      const printed = machine.runScript({ ...name, text: path }, nameOf(path));
      // A miner is reported under its own name, wherever it was fetched from.
      if (printed !== EMPTY && !isMiner(program)) return printed;
    }
    return runProgram(new Call(program, words, input, { isBackground }), machine);
  });
}

interface Runner {
  readonly machine: ShellMachine;
  readonly nodes: NodeRunner;
  readonly isBackground: boolean;
}

function runProgram(call: Call, machine: ShellMachine): Value {
  const { program, texts } = call;
  if (!QUIET_BUILTINS.has(program) && /^[\w.+@-]{1,80}$/.test(program)) {
    const recorded = texts.slice(0, MAX_RECORDED_ARGUMENTS).map((text) => text.slice(0, 200));
    machine.effect({ type: "run", program, arguments: recorded });
  }
  if (RUNS_ARGUMENTS.has(program)) runArguments(call.words, machine);
  const run = findProgram(program);
  const { sendings } = machine;
  const printed = run === undefined ? runPossible(call, machine) : run(call, machine);
  if (isPrecise(program)) return printed;
  if (machine.sendings === sendings) noteUnknownWay(call, machine);
  const isTold = printed !== EMPTY && (printed.isKnown || printed.sources.length > 0);
  return isTold ? printed : printedByWords(call, machine);
}

/** New wrappers appear every day, so no table is complete; an unknown one must not hide a command. */
function runPossible(call: Call, machine: ShellMachine): Value {
  const { words, input } = call;
  const printed: Value[] = [];
  for (const [index, word] of words.slice(0, MAX_POSSIBLE_WORDS).entries()) {
    const { text, isKnown } = word;
    if (isCommandText(text, words[index - 1]?.text))
      printed.push(machine.possibly(() => machine.runText(word, "an option")));
    else if (isKnown && index + 1 < words.length && isStartable(text))
      printed.push(machine.possibly(() => machine.runWords(words.slice(index), input)));
  }
  return printedByWords(call, machine, printed);
}

const MAX_POSSIBLE_WORDS = 256;

// `--exec 'curl …'`: text with blanks after any other option is data.
function isCommandText(text: string, option: string | undefined): boolean {
  if (option === undefined || !COMMAND_OPTION.test(option)) return false;
  const [program = "", next] = text.trimStart().split(/\s+/, 2);
  return next !== undefined && isStartable(program);
}

const COMMAND_OPTION = /^(?:-[cex]|--(?:command|cmd|exec|execute|run|call|shell|script))$/;

function isStartable(text: string): boolean {
  const name = nameOf(text).toLowerCase();
  return /^[a-z][\w.+-]{1,40}$/.test(name) && !isBuiltin(name) && findProgram(name) !== undefined;
}

function runAlias(
  alias: string,
  words: readonly Value[],
  input: Value | undefined,
  machine: ShellMachine,
): Value {
  if (/[|;&<>$`'"\\()]/.test(alias)) return machine.runText(known(alias), "alias");
  const names = alias
    .trim()
    .split(/\s+/, 50)
    .map((text) => known(text));
  return machine.runWords([...names, ...words], input);
}

// `vim -c ':!…'`, `git -c core.pager=…`, `tar --checkpoint-action=exec=…`: options that start a command.
function runArguments(words: readonly Value[], machine: ShellMachine): void {
  for (const { text, ...rest } of words) {
    const command = /^(?::?!|(?:-o\s?)?[\w.-]{1,60}=(?:exec=|!)?)(\S[\s\S]{0,4000})$/.exec(text)?.[1];
    if (command !== undefined && /[|;&`]|\$\(|\b(?:curl|wget|nc|sh|bash)\b/.test(command))
      machine.runText({ ...rest, text: command }, "an option");
  }
}

const RUNS_ARGUMENTS: ReadonlySet<string> = words("git less man nvim rsync scp ssh tar vi vim zip");

// These are everywhere and do not count as a capability.
const QUIET_BUILTINS: ReadonlySet<string> = words(
  "echo printf cd pushd popd test [ [[ true false : export set unset local declare typeset readonly return exit shift break continue read let getopts wait trap if then else fi do done case esac function in pwd type hash umask shopt eval exec command builtin source . alias unalias jobs fg bg disown times",
);

/** The program that a command name with `?`, `*` or `[…]` matches: `/???/b??h` is `/bin/bash`. */
function resolveGlobName(name: string): string {
  if (!/[?*[]/.test(name) || !/[/\w]/.test(name) || name.length > 40) return name;
  const patterns = name.split("/").map(parseName);
  const found = PATHS.find((path) => {
    const parts = path.split("/");
    if (parts.length !== patterns.length) return false;
    return patterns.every((pattern, at) => pattern !== undefined && matchesName(pattern, parts[at] ?? ""));
  });
  if (found !== undefined) return found;
  // `c${unset}url`: an unset variable is empty.
  const bare = name.replaceAll("*", "");
  return PATHS.includes(`/bin/${bare}`) ? bare : name;
}

// If two match, a shell takes the first by name; disguises are made to match these.
const PATHS: readonly string[] = "bash base64 cat curl nc node perl python python3 rm sh wget zsh"
  .split(" ")
  .flatMap((name) => [`/bin/${name}`, `/usr/bin/${name}`]);
