import { randomBytes, randomInt } from "node:crypto";
import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import { undefinedOn } from "../errors.ts";

// A process may have laid out its environment as it likes; the mark is in its first part or it is not found.
const MAX_ENVIRONMENT_BYTES = 1024 * 1024;
// All that is needed stands in the first 500 bytes of a line.
const MAX_STAT_BYTES = 1024;
// Sixteen lines of eighty.
const MAX_LIMITS_BYTES = 4096;
// The whole table is read for every run, and readFileSync takes several times as long.
const room = Buffer.alloc(64 * 1024);

export interface TableEntry {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  /** In clock ticks since boot; tells a process from a later one with the same number. */
  readonly startTicks: number;
  /** False for what has ended and only waits to be asked how. */
  readonly alive: boolean;
}

export function readProcessTable(): Map<number, TableEntry> {
  const table = new Map<number, TableEntry>();
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isSafeInteger(pid)) continue;
    const entry = readTableEntry(pid);
    if (entry !== undefined) table.set(pid, entry);
  }
  return table;
}

export function readTableEntry(pid: number): TableEntry | undefined {
  const text = unlessGone(() => readStart(`/proc/${pid}/stat`, MAX_STAT_BYTES).toString("latin1"));
  if (text === undefined) return undefined;
  // The name in parentheses is the program's own choice and may hold spaces and parentheses itself.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state = "X", parent, , session] = fields;
  const threads = Number(fields[17]);
  return {
    pid,
    parent: Number(parent),
    session: Number(session),
    startTicks: Number(fields[19]),
    // A process whose first thread has ended looks like a zombie while its other threads go on.
    alive: !/[ZXx]/.test(state) || threads > 1,
  };
}

export function hasMark(pid: number, mark: string): boolean {
  const environment = unlessGone(() => readStart(`/proc/${pid}/environ`, MAX_ENVIRONMENT_BYTES));
  return environment?.includes(`${MARK_NAME}=${mark}`) ?? false;
}

// As the kernel writes it, soft and hard; the numbers are in microseconds.
const REALTIME_LIMIT = /^Max realtime timeout +(\S+) +(\S+)/m;

/** How long a process may keep a processor at a realtime priority: a number, or `unlimited`; undefined when it is gone. */
export function readRealtimeLimit(
  pid: number | "self",
): { readonly soft: string; readonly hard: string } | undefined {
  const text = unlessGone(() => readStart(`/proc/${pid}/limits`, MAX_LIMITS_BYTES).toString("latin1"));
  const [, soft, hard] = REALTIME_LIMIT.exec(text ?? "") ?? [];
  return soft === undefined || hard === undefined ? undefined : { soft, hard };
}

function readStart(path: string, maxBytes: number): Buffer {
  const descriptor = openSync(path, "r");
  try {
    const chunks: Buffer[] = [];
    for (let total = 0; total < maxBytes; ) {
      const wanted = Math.min(room.length, maxBytes - total);
      const length = readSync(descriptor, room, 0, wanted, null);
      chunks.push(Buffer.from(room.subarray(0, length)));
      total += length;
      if (length < wanted) break;
    }
    return Buffer.concat(chunks);
  } finally {
    closeSync(descriptor);
  }
}

/** Processes end while they are looked at, and those of others cannot be read, nor be ours. */
function unlessGone<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    return undefinedOn("ENOENT", "ESRCH", "EACCES", "EPERM")(error);
  }
}

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
