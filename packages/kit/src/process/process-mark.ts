import { randomBytes, randomInt } from "node:crypto";
import { readRealtimeLimit } from "./process-table.ts";
import type { ProcessTree } from "./process-tree.ts";

/** A limit that no other process has: a number of microseconds, of centuries. */
export type LimitMark = string;

const LEAST = 2 ** 52;
const MAX_RANDOM = 2 ** 48 - 1;

/**
 * A mark that a process keeps when it leaves its session and clears its environment, since limits are inherited by
 * whatever it becomes: the limit for realtime processes, so far away that it limits nothing. Who knows of it can change
 * it, so it finds what hides by accident or habit, not what hides from this.
 *
 * Undefined where there are no such limits, or this process has one itself, which cannot be raised.
 */
export function createLimitMark(): LimitMark | undefined {
  if (process.platform !== "linux" || readRealtimeLimit("self")?.hard !== "unlimited") return undefined;
  return String(LEAST + randomInt(MAX_RANDOM));
}

/** In the environment of every process of a run; finds those that left its group and lost their parents. */
export const MARK_NAME = "SKILLET_PROCESS_MARK";

export function createMark(): string {
  return randomBytes(16).toString("hex");
}

const running = new Set<ProcessTree>();

/** Ends a tree if this process ends first, by `process.exit` or an uncaught error; returns the way to stop guarding. */
export function guardAtExit(tree: ProcessTree): () => void {
  if (running.size === 0) process.on("exit", killRunning);
  running.add(tree);
  return () => {
    running.delete(tree);
    if (running.size === 0) process.off("exit", killRunning);
  };
}

function killRunning(): void {
  for (const tree of running) tree.kill();
}
