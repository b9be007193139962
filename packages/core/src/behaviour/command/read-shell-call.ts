import type { Interprets } from "@skillet/shell/programs";
import { exactText } from "./argument.ts";
import { type CommandReader, NOTHING, type ProgramCall, type ProgramOutput } from "./program-call.ts";
import { enterDirectory, readInterpreter } from "./read-interpreter.ts";
import { splitOptions } from "./split-options.ts";

/** Reads a call of a shell: the text behind `-c`, its script, or what it is given to read. */
export function readShellCall(shell: Interprets, call: ProgramCall, reader: CommandReader): ProgramOutput {
  const { words, scope, depth, input } = call;
  const { options, next } = splitOptions(words, 1, shell);
  if (options.some(({ name }) => shell.checks?.has(name))) return NOTHING;
  const context = { shell: "posix", scope: scope.copy(), depth: depth + 1 } as const;
  if (options.some(({ name }) => name === "-c")) return reader.readText(exactText(words[next]), context);
  const readsInput = words[next] === undefined || options.some(({ name }) => name === "-s");
  if (readsInput && input.text !== undefined) return reader.readText(input.text, context);
  return readInterpreter(shell, readsInput ? { ...call, words: words.slice(0, next) } : call, reader);
}

/** The same for PowerShell. */
export function readPowershellCall(
  shell: Interprets,
  call: ProgramCall,
  reader: CommandReader,
): ProgramOutput {
  const { words, scope, depth } = call;
  const { options, next } = splitOptions(words, 1, shell);
  const inside = enterDirectory(options, shell.directory, scope).copy();
  const isFile = /\.ps1$/i.test(exactText(words[next])) && !options.some(({ name }) => /^-c/.test(name));
  if (isFile || options.some(({ name }) => shell.script?.has(name)))
    return readInterpreter(shell, call, reader);
  const text = words.slice(next).map(exactText).join(" ");
  return reader.readText(text, { shell: "powershell", scope: inside, depth: depth + 1 });
}

/** `cmd /c …`: near enough to the other shell of its system. */
export function readCommandPrompt(
  { words, scope, depth }: ProgramCall,
  reader: CommandReader,
): ProgramOutput {
  const at = words.findIndex((word) => /^\/[ck]$/i.test(exactText(word)));
  if (at < 0) return NOTHING;
  const text = words
    .slice(at + 1)
    .map(exactText)
    .join(" ");
  return reader.readText(text, { shell: "powershell", scope: scope.copy(), depth: depth + 1 });
}
