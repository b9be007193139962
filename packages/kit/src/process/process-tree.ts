import { randomInt } from "node:crypto";
import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { SkilletError, undefinedOn } from "../errors.ts";

// A tree that forks faster than it is stopped hits its process limit; each round stops what the last missed.
const MAX_FREEZE_ROUNDS = 64;
// With growing pauses this is about five seconds, for processes that hang in the kernel.
const MAX_KILL_ROUNDS = 100;
const MAX_PAUSE_MS = 50;

/** Present on every process of a tree, wherever it moved. */
export interface TreeMarks {
  readonly environment: string;
  readonly limit?: LimitMark | undefined;
}

/** A process that was started as the leader of its own session, and all its descendants. */
export class ProcessTree {
  readonly #rootPid: number;
  readonly #marks: TreeMarks;
  /** Every process ever found, with its start by process id; empty if there is no process table. */
  readonly #known = new Map<number, number>();
  readonly #rootStartTicks: number;

  /** Call it before the event loop turns, while the process id cannot belong to another process. */
  constructor(rootPid: number, marks: TreeMarks) {
    this.#rootPid = rootPid;
    this.#marks = marks;
    const root = process.platform === "linux" ? readTableEntry(rootPid) : undefined;
    this.#rootStartTicks = root?.startTicks ?? 0;
    // With any other parent, /proc shows another namespace of process ids, and nothing in it can be trusted.
    if (root?.parent === process.pid) this.#known.set(rootPid, root.startTicks);
  }

  /** Ends the tree and settles when nothing is left; `rootEnded`: whether the root's exit was received. */
  async end(rootEnded: () => boolean): Promise<void> {
    if (this.#known.size === 0) {
      this.kill();
      return;
    }
    if (!rootEnded()) signalProcess(-this.#rootPid, "SIGSTOP");
    for (let round = 0; round < MAX_KILL_ROUNDS; round += 1) {
      if (this.kill() === 0) return;
      await delay(Math.min(2 ** round, MAX_PAUSE_MS));
    }
    const left = this.#findMembers();
    if (left.length === 0) return;
    const pids = left.map(({ pid }) => pid);
    const message = `Processes could not be ended: ${pids.join(", ")}. They may belong to another user or hang in the kernel; end them by hand.`;
    throw new SkilletError("process-not-ended", message, { data: { pids } });
  }

  /** Kills the current members, and returns how many there were. */
  kill(): number {
    if (this.#known.size === 0) {
      signalProcess(-this.#rootPid, "SIGKILL");
      return 0;
    }
    const members = this.#freeze();
    for (const { pid } of members) signalProcess(pid, "SIGKILL");
    return members.length;
  }

  /** Stopped processes can neither fork nor exit and leave children without a parent to find them by. */
  #freeze(): TableEntry[] {
    const stopped = new Set<number>();
    for (let round = 0; ; round += 1) {
      const members = this.#findMembers();
      const moving = members.filter(({ pid }) => !stopped.has(pid));
      if (moving.length === 0 || round === MAX_FREEZE_ROUNDS) return members;
      for (const { pid } of moving) {
        signalProcess(pid, "SIGSTOP");
        stopped.add(pid);
      }
    }
  }

  #findMembers(): TableEntry[] {
    const table = readProcessTable();
    table.delete(process.pid);
    const candidates = [...table.values()].filter(
      ({ alive, startTicks }) => alive && startTicks >= this.#rootStartTicks,
    );
    const members = new Set<TableEntry>();
    const admit = (belongs: (entry: TableEntry) => boolean): boolean => {
      const found = candidates.filter((entry) => !members.has(entry) && belongs(entry));
      for (const entry of found) {
        members.add(entry);
        this.#known.set(entry.pid, entry.startTicks);
      }
      return found.length > 0;
    };
    const admitRelatives = (): void => {
      while (admit((entry) => this.#isRelative(entry, table)));
    };
    admitRelatives();
    if (admit(({ pid }) => this.#isMarked(pid))) admitRelatives();
    return [...members];
  }

  #isMarked(pid: number): boolean {
    const { environment, limit } = this.#marks;
    const started = unlessGone(() => readStart(`/proc/${pid}/environ`, MAX_ENVIRONMENT_BYTES));
    if (started?.includes(`${MARK_NAME}=${environment}`)) return true;
    return limit !== undefined && readRealtimeLimit(pid) === limit;
  }

  #isRelative(entry: TableEntry, table: ReadonlyMap<number, TableEntry>): boolean {
    return (
      this.#known.get(entry.pid) === entry.startTicks ||
      this.#isOurs(entry.parent, table) ||
      this.#isOurs(entry.session, table)
    );
  }

  /** An id is not reused while a session has it, so the same id with another start means ours is gone. */
  #isOurs(pid: number, table: ReadonlyMap<number, TableEntry>): boolean {
    const start = this.#known.get(pid);
    return start !== undefined && (table.get(pid)?.startTicks ?? start) === start;
  }
}

/** Sends a signal; a process that is gone, or not ours to end, shows in the next look at the table. */
export function signalProcess(pid: number, signal: "SIGSTOP" | "SIGKILL"): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    undefinedOn("ESRCH", "EPERM")(error);
  }
}

const running = new Set<ProcessTree>();

/** Ends a tree if this process ends first, by `process.exit` or an uncaught error; returns the undo. */
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

// A process may arrange its environment freely; the mark is found only in this first part.
const MAX_ENVIRONMENT_BYTES = 1024 * 1024;
// All fields that are needed are in the first 500 bytes of a line.
const MAX_STAT_BYTES = 1024;
// Sixteen lines of eighty characters.
const MAX_LIMITS_BYTES = 4096;
// A shared buffer: the whole table is read for every run, and readFileSync takes several times as long.
const room = Buffer.alloc(64 * 1024);

export interface TableEntry {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  /** In clock ticks since boot; distinguishes a process from a later one with the same id. */
  readonly startTicks: number;
  /** False for a process that has ended and only waits to be reaped. */
  readonly alive: boolean;
}

function readProcessTable(): Map<number, TableEntry> {
  const table = new Map<number, TableEntry>();
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isSafeInteger(pid)) continue;
    const entry = readTableEntry(pid);
    if (entry !== undefined) table.set(pid, entry);
  }
  return table;
}

function readTableEntry(pid: number): TableEntry | undefined {
  const text = unlessGone(() => readStart(`/proc/${pid}/stat`, MAX_STAT_BYTES).toString("latin1"));
  if (text === undefined) return undefined;
  // The name in parentheses is the program's own choice, and may itself contain spaces and parentheses.
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

/**
 * The hard limit on how long a process may hold a processor at a realtime priority, in microseconds or
 * `unlimited`; undefined if the process is gone.
 */
function readRealtimeLimit(pid: number | "self"): string | undefined {
  const text = unlessGone(() => readStart(`/proc/${pid}/limits`, MAX_LIMITS_BYTES).toString("latin1"));
  // The kernel's columns: the limit in force, and the maximum to which it may be raised.
  return /^Max realtime timeout +\S+ +(\S+)/m.exec(text ?? "")?.[1];
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

/** Processes end while they are read; those of other users cannot be read, and cannot be ours. */
function unlessGone<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    return undefinedOn("ENOENT", "ESRCH", "EACCES", "EPERM")(error);
  }
}

/** A limit that no other process has: centuries, as a number of microseconds. */
export type LimitMark = string;

const LEAST = 2 ** 52;
const MAX_RANDOM = 2 ** 48 - 1;

/**
 * A mark that a process keeps even if it leaves its session and clears its environment, since it inherits its
 * limits: the limit for realtime processes, set so high that it limits nothing. A process that knows of the
 * mark can change it, so it finds what hides by accident or habit, not what hides from this.
 *
 * Undefined if there are no such limits, or this process has one itself, which cannot be raised.
 */
export function createLimitMark(): LimitMark | undefined {
  if (process.platform !== "linux" || readRealtimeLimit("self") !== "unlimited") return undefined;
  return String(LEAST + randomInt(MAX_RANDOM));
}

/** In the environment of every process of a run; finds those that left its group and lost their parents. */
export const MARK_NAME = "SKILLET_PROCESS_MARK";
