import { randomInt } from "node:crypto";
import { readRealtimeLimit } from "./process-table.ts";

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
 *
 * @example
 * const limitMark = createLimitMark();
 * runProcess({ argv: ["/usr/bin/prlimit", `--rttime=${limitMark}:${limitMark}`, "--", ...argv], limitMark, ...rest });
 */
export function createLimitMark(): LimitMark | undefined {
  if (process.platform !== "linux" || readRealtimeLimit("self")?.hard !== "unlimited") return undefined;
  return String(LEAST + randomInt(MAX_RANDOM));
}
