import type { Starts } from "@skillet/shell/programs";
import { exact, exactText } from "./argument.ts";
import { type CommandReader, NOTHING, type ProgramCall, type ProgramOutput } from "./program-call.ts";
import { enterDirectory, noteModule, PACKAGE_SCRIPTS } from "./read-interpreter.ts";
import { type GivenOption, splitOptions } from "./split-options.ts";

/** Reads the command that a program such as `env`, `uv run` or `npx` starts. */
export function readRunner(spec: Starts, call: ProgramCall, reader: CommandReader): ProgramOutput {
  const { words, shell, depth } = call;
  const { options, next, subcommand } = splitRunner(spec, words);
  // `command -v` looks a name up.
  if (exactText(words[0]) === "command" && options.some(({ name }) => /^-[vV]$/.test(name))) return NOTHING;
  const scope = enterDirectory(options, spec.directory, call.scope);
  if (spec.subcommands !== undefined && !spec.subcommands.has(subcommand)) {
    if (/^(?:run|run-script|start)$/.test(subcommand)) reader.log.file("run", PACKAGE_SCRIPTS, scope.cwd);
    return NOTHING;
  }
  const text = options.find(({ name }) => spec.text?.has(name))?.value;
  if (text !== undefined)
    return reader.readText(exactText(text), { shell, scope: scope.copy(), depth: depth + 1 });
  const module = options.find(({ name }) => name === "-m" || name === "--module")?.value;
  if (spec.runsFiles && module !== undefined) {
    noteModule(module, { log: reader.log, scope, cwd: scope.cwd });
    return NOTHING;
  }
  return readInner(spec, { ...call, scope, words: words.slice(next) }, reader);
}

function splitRunner(
  spec: Starts,
  words: ProgramCall["words"],
): { readonly options: readonly GivenOption[]; readonly next: number; readonly subcommand: string } {
  const before = splitOptions(words, 1, spec);
  if (spec.subcommands === undefined) return { ...before, subcommand: "" };
  // `uv tool run` is `uvx`.
  const at = exactText(words[before.next]) === "tool" ? before.next + 1 : before.next;
  const after = splitOptions(words, at + 1, spec);
  return {
    options: [...before.options, ...after.options],
    next: after.next,
    subcommand: exactText(words[at]),
  };
}

function readInner(spec: Starts, call: ProgramCall, reader: CommandReader): ProgramOutput {
  let { words } = call;
  // What is set for the command is not set behind it; `exec` and its like work in the shell itself.
  const scope = spec.takesAssignments ? call.scope.copy() : call.scope;
  for (; spec.takesAssignments; words = words.slice(1)) {
    const assignment = /^([A-Za-z_]\w*)=(.*)$/s.exec(exactText(words[0]));
    if (assignment === null) break;
    scope.assign(assignment[1] ?? "", exact(assignment[2] ?? ""));
  }
  const inner = words.slice(spec.operands ?? 0);
  return reader.readProgram({
    ...call,
    words: inner,
    scope,
    depth: call.depth + 1,
    runsFiles: spec.runsFiles,
  });
}
