import { findRow, programName } from "@skillet/shell/programs";
import { exactText } from "./argument.ts";
import { BUILTINS } from "./builtins.ts";
import { namesFile } from "./names-file.ts";
import { type CommandReader, NOTHING, type ProgramCall, type ProgramOutput } from "./program-call.ts";
import { readFind } from "./read-find.ts";
import { readInterpreter } from "./read-interpreter.ts";
import { readReader } from "./read-reader.ts";
import { readRunner } from "./read-runner.ts";
import { readCommandPrompt, readPowershellCall, readShellCall } from "./read-shell-call.ts";
import { readXargs } from "./read-xargs.ts";

/** `env env env …` and shells in shells: more than these nobody writes. */
const MAX_DEPTH = 8;
/** Words behind these are not looked at. */
const MAX_WORDS = 256;

/** Notes which files a program with its arguments runs and reads, and those of the programs it starts. */
export function readProgram(given: ProgramCall, reader: CommandReader): ProgramOutput {
  const call = given.words.length > MAX_WORDS ? { ...given, words: given.words.slice(0, MAX_WORDS) } : given;
  const [first] = call.words;
  if (!reader.log.step() || call.depth > MAX_DEPTH || first === undefined) return NOTHING;
  const text = first.kind === "unknown" ? "" : first.text;
  const isPath = /[/\\]/.test(text);
  if (isPath || (call.runsFiles && namesFile(first))) reader.log.file("run", first, call.scope.cwd);
  if (text === "" || first.kind !== "exact") return NOTHING;
  const program = programName(text);
  if (!isPath) reader.log.program(program);
  return dispatch(program, call, reader);
}

function dispatch(program: string, call: ProgramCall, reader: CommandReader): ProgramOutput {
  const builtin = BUILTINS.get(program);
  if (builtin !== undefined) return builtin(call, reader);
  const { interprets, starts } = findRow(program) ?? {};
  if (interprets?.language === "shell") return readShellCall(interprets, call, reader);
  if (interprets?.language === "powershell") return readPowershellCall(interprets, call, reader);
  if (program === "cmd") return readCommandPrompt(call, reader);
  if (program === "xargs") return readXargs(call, reader);
  if (program === "find") return readFind(call, reader);
  if (program === "bun" && exactText(call.words[1]) === "x")
    return reader.readProgram({
      ...call,
      words: call.words.slice(1).with(0, { kind: "exact", text: "bunx" }),
    });
  if (interprets !== undefined) return readInterpreter(interprets, call, reader);
  if (starts !== undefined) return readRunner(starts, call, reader);
  const spec = findRow(call.shell === "powershell" && program === "cat" ? "get-content" : program)?.reads;
  // To a POSIX shell `type` says what a name means.
  if (spec === undefined || (program === "type" && call.shell === "posix")) return NOTHING;
  return readReader(spec, call, reader);
}
