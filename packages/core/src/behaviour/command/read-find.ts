import { type Argument, exactText } from "./argument.ts";
import { type CommandReader, NOTHING, type ProgramCall, type ProgramOutput } from "./program-call.ts";

/** Reads the commands that `find` starts with what it finds; what it finds lies below where it begins. */
export function readFind(call: ProgramCall, reader: CommandReader): ProgramOutput {
  const { words } = call;
  const end = words.findIndex((word, at) => at > 0 && /^[-(!]/.test(exactText(word)));
  const starts = words.slice(1, end < 0 ? words.length : end);
  const found = starts.map(belowOf);
  for (let at = 1; at < words.length; at += 1) {
    if (!/^-(?:exec|ok)(?:dir)?$/.test(exactText(words[at]))) continue;
    const from = at + 1;
    while (at < words.length && !/^[;+]$/.test(exactText(words[at]))) at += 1;
    for (const one of found.slice(0, MAX_STARTS)) {
      const inner = words.slice(from, at).map((word) => (exactText(word) === "{}" ? one : word));
      reader.readProgram({ ...call, words: inner, scope: call.scope.copy(), depth: call.depth + 1 });
    }
  }
  return found.length === 0 ? NOTHING : { content: [], lines: found };
}

const MAX_STARTS = 4;

function belowOf(start: Argument): Argument {
  return start.kind === "unknown" ? start : { kind: "pattern", text: `${start.text}/*` };
}
