import type { CommandScope } from "../command/command-scope.ts";
import type { CommandReader } from "../command/program-call.ts";

/** Where a text is read: the shell's scope, how deep in others, and who reads its programs. */
export interface PosixContext {
  readonly scope: CommandScope;
  readonly depth: number;
  readonly reader: CommandReader;
}
