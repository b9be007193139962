import { createRequire } from "node:module";

/**
 * Loads what starts processes, which is a file of its own beside the built command.
 *
 * Only two commands want it; the others must not wait for it, and their file stays without a way to start anything.
 */
export function loadRunning(): typeof import("./running.ts") {
  const load = createRequire(import.meta.url);
  return load("./run.cjs");
}
