import type { Reads } from "@skillet/shell/programs";
import { exactText } from "./argument.ts";
import { type CommandReader, NOTHING, type ProgramCall, type ProgramOutput } from "./program-call.ts";
import { splitArguments } from "./split-options.ts";

/** Notes the files that a program such as `cat`, `sed` or `grep` reads. */
export function readReader(
  spec: Reads,
  { words, scope, input }: ProgramCall,
  { log }: CommandReader,
): ProgramOutput {
  const { options, operands } = splitArguments(words, spec);
  if (options.some(({ name }) => spec.changes?.has(name))) return NOTHING;
  for (const { name, value } of options) {
    if (value === undefined) continue;
    if (spec.loads?.has(name)) log.file("run", value, scope.cwd);
    if (spec.files?.has(name)) log.file("read", value, scope.cwd);
  }
  const hasPattern =
    spec.patternUnless !== undefined && !options.some(({ name }) => spec.patternUnless?.has(name));
  // `tail +5`, and variables between the files of `awk`.
  const files = operands
    .slice(hasPattern ? 1 : 0)
    .filter((word) => !/^(?:\+.*|\w+=.*|-)$/.test(exactText(word)));
  for (const file of files) log.file(spec.searches ? "search" : "read", file, scope.cwd);
  return files.length === 0 ? { content: input.content, lines: [] } : { content: files, lines: [] };
}
