import type { NodeRunner } from "./node-runner.ts";
import { findProgram } from "./programs/find-program.ts";
import { isMiner } from "./programs/protection-tools.ts";
import { resolveGlobName } from "./programs/resolve-glob-name.ts";
import { nameOf, plainPath } from "./shell-files.ts";
import type { ShellMachine } from "./shell-machine.ts";
import { EMPTY, known, sourcesOf, unknown, type Value } from "./value.ts";

const MAX_RECORDED_ARGUMENTS = 16;

/** Runs one command by its words: an alias, a function, a file of the script's own, or a program that is known. */
export function runWords(
  command: {
    readonly words: readonly Value[];
    readonly input: Value | undefined;
    readonly isBackground: boolean;
  },
  machine: ShellMachine,
  nodes: NodeRunner,
): Value {
  const { input, isBackground } = command;
  const [name, ...words] = command.words;
  if (name === undefined) return EMPTY;
  // `$line` where a line was read from the network.
  const foreign = name.sources.filter(({ type }) => type === "network" || type === "decoded");
  machine.flow(foreign, { type: "execute", how: "shell", by: "the shell itself" });
  const alias = machine.aliases.get(name.text) ?? machine.aliases.get(plainPath(name.text));
  if (alias !== undefined && !alias.startsWith(name.text)) return runAlias(alias, words, input, machine);
  const own = nodes.callFunction(name.text, words, input);
  if (own !== undefined) return own;
  const path = resolveGlobName(name.text);
  const program = nameOf(path)
    .toLowerCase()
    .replace(/\.(?:exe|cmd|bat|com)$/, "");
  // A document names `$LOGFILE` by itself: a word alone that is data by its name is not run.
  const isNamed = words.length === 0 && /\.(?:log|txt|json|csv|md|ya?ml|html|xml|png|jpe?g|pdf)$/i.test(path);
  if (!isNamed && /[/\\]|\.(?:exe|bat|cmd|com|ps1|vbs|msi|scr)$/i.test(path)) {
    const printed = machine.runFile({ ...name, text: path }, nameOf(path));
    // Under its own name a miner is one, wherever it was fetched from.
    if (printed !== EMPTY && !isMiner(program)) return printed;
  }
  const texts = words.map(({ text }) => text);
  if (!QUIET_BUILTINS.has(program) && /^[\w.+@-]{1,80}$/.test(program))
    machine.act({
      type: "run",
      program,
      arguments: texts.slice(0, MAX_RECORDED_ARGUMENTS).map((text) => text.slice(0, 200)),
    });
  if (RUNS_ARGUMENTS.has(program)) runArguments(words, machine);
  const run = findProgram(program);
  if (run !== undefined) return run({ program, words, texts, input, isBackground }, machine);
  return unknown(sourcesOf(input === undefined ? words : [...words, input]));
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

// `vim -c ':!…'`, `git -c core.pager=…`, `tar --checkpoint-action=exec=…`: programs that start what an option says.
function runArguments(words: readonly Value[], machine: ShellMachine): void {
  for (const { text, ...rest } of words) {
    const command = /^(?::?!|(?:-o\s?)?[\w.-]{1,60}=(?:exec=|!)?)(\S[\s\S]{0,4000})$/.exec(text)?.[1];
    if (command !== undefined && /[|;&`]|\$\(|\b(?:curl|wget|nc|sh|bash)\b/.test(command))
      machine.runText({ ...rest, text: command }, "an option");
  }
}

const RUNS_ARGUMENTS: ReadonlySet<string> = new Set([
  "git",
  "less",
  "man",
  "nvim",
  "rsync",
  "scp",
  "ssh",
  "tar",
  "vi",
  "vim",
  "zip",
]);

// Everywhere, and no capability.
const QUIET_BUILTINS: ReadonlySet<string> = new Set(
  "echo printf cd pushd popd test [ [[ true false : export set unset local declare typeset readonly return exit shift break continue read let getopts wait trap if then else fi do done case esac function in pwd type hash umask shopt eval exec command builtin source . alias unalias jobs fg bg disown times".split(
    " ",
  ),
);
