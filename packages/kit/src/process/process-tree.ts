import { setTimeout as delay } from "node:timers/promises";
import { SkilletError, undefinedOn } from "../errors.ts";
import {
  hasMark,
  type LimitMark,
  readProcessTable,
  readRealtimeLimit,
  readTableEntry,
  type TableEntry,
} from "./process-table.ts";

// A tree that forks faster than it is stopped ends at its limit of processes; each round stops what the last one missed.
const MAX_FREEZE_ROUNDS = 64;
// With growing pauses this is about five seconds, for what hangs in the kernel.
const MAX_KILL_ROUNDS = 100;
const MAX_PAUSE_MS = 50;

/** Found on every process of a tree, wherever it went. */
export interface TreeMarks {
  readonly environment: string;
  readonly limit?: LimitMark | undefined;
}

/** A process that was started as the leader of its own session, and all that comes from it. */
export class ProcessTree {
  readonly #rootPid: number;
  readonly #marks: TreeMarks;
  /** Everything ever found, by number, with its start; empty where there is no process table. */
  readonly #known = new Map<number, number>();
  readonly #rootStartTicks: number;

  /** To be called before the event loop turns, while the number cannot belong to another process. */
  constructor(rootPid: number, marks: TreeMarks) {
    this.#rootPid = rootPid;
    this.#marks = marks;
    const root = process.platform === "linux" ? readTableEntry(rootPid) : undefined;
    this.#rootStartTicks = root?.startTicks ?? 0;
    // Any other parent: /proc shows another namespace of process numbers, and nothing in it may be believed.
    if (root?.parent === process.pid) this.#known.set(rootPid, root.startTicks);
  }

  /** Ends all of it and settles when nothing is left; `rootEnded` once the root's exit was received. */
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

  /** Sends what is there now to its end, and says how many that were. */
  kill(): number {
    if (this.#known.size === 0) {
      signalProcess(-this.#rootPid, "SIGKILL");
      return 0;
    }
    const members = this.#freeze();
    for (const { pid } of members) signalProcess(pid, "SIGKILL");
    return members.length;
  }

  /** A stopped process can neither fork nor exit and leave children without a parent to be found by. */
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
    return hasMark(pid, environment) || (limit !== undefined && readRealtimeLimit(pid)?.hard === limit);
  }

  #isRelative(entry: TableEntry, table: ReadonlyMap<number, TableEntry>): boolean {
    return (
      this.#known.get(entry.pid) === entry.startTicks ||
      this.#isOurs(entry.parent, table) ||
      this.#isOurs(entry.session, table)
    );
  }

  /** A number is not given out again while a session bears it, so one with another start means that ours is gone. */
  #isOurs(pid: number, table: ReadonlyMap<number, TableEntry>): boolean {
    const start = this.#known.get(pid);
    return start !== undefined && (table.get(pid)?.startTicks ?? start) === start;
  }
}

/** Sends a signal; what is gone already, or not ours to end, shows at the next look at the table. */
export function signalProcess(pid: number, signal: "SIGSTOP" | "SIGKILL"): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    undefinedOn("ESRCH", "EPERM")(error);
  }
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
