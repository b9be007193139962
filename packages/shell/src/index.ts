export { runBatch } from "./dialect/batch.ts";
export { runCommandLine, runPosix } from "./dialect/posix.ts";
export { runPowershell } from "./dialect/powershell.ts";
export { ShellMachine, type Surroundings } from "./machine/shell-machine.ts";
export type { Derivation, EffectSink, FileAccess, Shell, Spot } from "./model/call.ts";
export {
  type CodeLanguage,
  type Destination,
  type Effect,
  hostOf,
  type SecretKind,
  type Source,
} from "./model/effect.ts";
export { resolvePath } from "./model/resolve-path.ts";
export { known, type Value } from "./model/value.ts";
export { isKnownProgram } from "./programs/find-program.ts";
export { crontabCommands } from "./programs/system-tools.ts";
