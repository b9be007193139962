import { loadUnbash } from "../../policy/shell/load-unbash.ts";
import type { ProgramOutput } from "../command/program-call.ts";
import type { PosixContext } from "./posix-context.ts";
import { ScriptReader } from "./script-reader.ts";

/** Reads a text for `sh` and its kin; the parser goes on behind what it does not understand. */
export function readPosix(text: string, context: PosixContext): ProgramOutput {
  const { commands } = loadUnbash().parse(text);
  return new ScriptReader(context.reader).statements(commands, { ...context, nesting: 0 });
}
