/**
 * Replaces the module that starts processes in the argument parser, which needs it for sub-commands in files.
 * There are none, and loading the module takes as long as finding 50 skills.
 */
export function spawn(): never {
  throw new Error("The command line starts no process.");
}
