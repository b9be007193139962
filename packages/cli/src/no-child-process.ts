/**
 * Stands in for the module of child processes in the bundled argument parser, which loads it for sub-commands in files of
 * their own; there are none here, and loading it takes a quarter of the start.
 */
export function spawn(): never {
  throw new Error("The command line starts no process.");
}

/** The same, for what the hub would start: only its lock reader is in the file that this one stands in for. */
export function spawnSync(): never {
  return spawn();
}
