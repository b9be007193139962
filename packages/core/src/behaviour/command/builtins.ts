import { posix } from "node:path";
import { resolvePath } from "../resolve-path.ts";
import { type Argument, exact, exactText } from "./argument.ts";
import { type CommandReader, NOTHING, type ProgramCall, type ProgramOutput } from "./program-call.ts";
import { splitArguments } from "./split-options.ts";

type Builtin = (call: ProgramCall, reader: CommandReader) => ProgramOutput;

/** Commands that a shell has itself, or that only say something about paths, by name. */
export const BUILTINS: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  ...names("cd chdir set-location sl", enter),
  ...names("pushd push-location", push),
  ...names("popd pop-location", pop),
  ...names("source .", runFile),
  ...names("eval iex invoke-expression", evaluate),
  ...names("echo printf write-output write-host", print),
  ...names("realpath readlink resolve-path", print),
  ["pwd", printFolder],
  ["dirname", printParent],
  ["join-path", joinPath],
  ...names("start-process start saps", startProcess),
  ...names("read unset", forget),
]);

function names(list: string, builtin: Builtin): [string, Builtin][] {
  return list.split(" ").map((name) => [name, builtin]);
}

function enter(call: ProgramCall): ProgramOutput {
  call.scope.enter(targetOf(call));
  return NOTHING;
}

function push(call: ProgramCall): ProgramOutput {
  call.scope.push(targetOf(call));
  return NOTHING;
}

function pop({ scope }: ProgramCall): ProgramOutput {
  scope.pop();
  return NOTHING;
}

// `cd -P place`, `cd /d place`, `Set-Location -Path place`.
function targetOf({ words }: ProgramCall): Argument | undefined {
  return words.slice(1).find((word) => !/^(?:-.+|\/d)$/i.test(exactText(word)));
}

function runFile({ words, scope }: ProgramCall, { log }: CommandReader): ProgramOutput {
  const [, file] = words;
  if (file !== undefined) log.file("run", file, scope.cwd);
  return NOTHING;
}

function evaluate({ words, scope, shell, depth }: ProgramCall, reader: CommandReader): ProgramOutput {
  const text = words
    .slice(1)
    .map(exactText)
    .filter((word) => !word.startsWith("-"))
    .join(" ");
  return reader.readText(text, { shell, scope, depth: depth + 1 });
}

function print({ words }: ProgramCall): ProgramOutput {
  const lines = words.slice(1).filter((word) => !/^-|%/.test(exactText(word)));
  return { content: [], lines };
}

function printFolder({ scope }: ProgramCall): ProgramOutput {
  return { content: [], lines: [scope.variable("PWD")] };
}

function printParent({ words }: ProgramCall): ProgramOutput {
  const path = exactText(words.at(-1));
  return path === "" ? NOTHING : { content: [], lines: [exact(posix.dirname(path))] };
}

function joinPath({ words }: ProgramCall): ProgramOutput {
  const { operands } = splitArguments(words, { style: "words" });
  if (operands.some(({ kind }) => kind === "unknown")) return { content: [], lines: [{ kind: "unknown" }] };
  const text = operands.map((word) => (word.kind === "unknown" ? "" : word.text)).join("/");
  const kind = operands.every((word) => word.kind === "exact") ? "exact" : "pattern";
  return { content: [], lines: [{ kind, text: resolvePath(text, undefined) ?? text }] };
}

function startProcess({ words, scope }: ProgramCall, { log }: CommandReader): ProgramOutput {
  const { options, operands } = splitArguments(words, {
    style: "words",
    valued: new Set(["-filepath", "-argumentlist", "-workingdirectory"]),
  });
  const file = options.find(({ name }) => name === "-filepath")?.value ?? operands[0];
  if (file !== undefined) log.file("run", file, scope.cwd);
  return NOTHING;
}

function forget({ words, scope }: ProgramCall): ProgramOutput {
  for (const word of words.slice(1)) {
    const name = exactText(word);
    if (/^\w+$/.test(name)) scope.assign(name, { kind: "unknown" });
  }
  return NOTHING;
}
