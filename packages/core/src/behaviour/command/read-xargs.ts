import { findRow } from "@skillet/shell/programs";
import { type Argument, exactText } from "./argument.ts";
import type { CommandReader, ProgramCall, ProgramOutput } from "./program-call.ts";
import { splitOptions } from "./split-options.ts";

/** More lines than these are not looked at. */
const MAX_LINES = 16;

/** Reads the command that `xargs` starts, with the lines it reads where those are known. */
export function readXargs(call: ProgramCall, reader: CommandReader): ProgramOutput {
  const { options, next } = splitOptions(call.words, 1, findRow("xargs")?.starts ?? {});
  const lines = call.input.lines.slice(0, MAX_LINES);
  const token = exactText(options.find(({ name }) => name === "-I" || name === "--replace")?.value);
  const inner = call.words.slice(next);
  const words =
    token === "" ? [...inner, ...lines] : inner.map((word) => replaceToken(word, token, lines[0]));
  return reader.readProgram({
    ...call,
    words,
    scope: call.scope.copy(),
    input: { content: [], lines: [] },
    depth: call.depth + 1,
  });
}

function replaceToken(word: Argument, token: string, line: Argument | undefined): Argument {
  const text = exactText(word);
  if (!text.includes(token)) return word;
  if (line === undefined || line.kind === "unknown") return { kind: "unknown" };
  return { kind: line.kind, text: text.replaceAll(token, () => line.text) };
}
