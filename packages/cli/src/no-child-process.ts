/**
 * Stands in for the module of child processes in the argument parser, which would start sub-commands in files of their
 * own; there are none, and loading the module takes as long as finding 50 skills.
 */
export function spawn(): never {
  throw new Error("The command line starts no process.");
}
