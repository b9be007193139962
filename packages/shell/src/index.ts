export { runBatch } from "./dialect/batch.ts";
export { runPosix } from "./dialect/posix.ts";
export { runPowershell } from "./dialect/powershell.ts";
export { ShellMachine } from "./machine/shell-machine.ts";
export type { Derivation, EffectSink, Shell, Spot } from "./model/call.ts";
export {
  type CodeLanguage,
  type Destination,
  type Effect,
  hostOf,
  type SecretKind,
  type Source,
} from "./model/effect.ts";
export { known, type Value } from "./model/value.ts";
export { crontabCommands } from "./programs/system-tools.ts";
