/**
 * Replaces node:child_process in the argument parser, which would use it for sub-commands in separate files.
 * There are none, and loading the module takes as long as finding 50 skills.
 */
export function spawn(): never {
  throw new Error("The command line starts no process.");
}
