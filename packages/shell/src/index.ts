export { runBatch } from "./dialect/batch.ts";
export { runCommandLine, runPosix } from "./dialect/posix.ts";
export { runPowershell } from "./dialect/powershell.ts";
export { ShellMachine, type Surroundings } from "./machine/shell-machine.ts";
export type { Derivation, EffectSink, FileAccess, Shell, Spot } from "./model/call.ts";
export {
  addressInCode,
  type CodeLanguage,
  type Destination,
  type Effect,
  hostOf,
  type SecretKind,
  type Source,
} from "./model/effect.ts";
export { resolvePath } from "./model/resolve-path.ts";
export { known, MARK, mergeSources, unknown, type Value } from "./model/value.ts";
export { ASCII85, BASE85, decodeBase32, decodeBase85, rotate13 } from "./programs/decode-text.ts";
export { wideSelection, wideTarget } from "./programs/destroyers.ts";
export { forgeEffects } from "./programs/fetchers.ts";
export { isKnownProgram } from "./programs/find-program.ts";
export { crontabCommands } from "./programs/system-tools.ts";
