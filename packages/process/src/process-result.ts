/** How a process ended; by then nothing of its tree is left. */
export interface ProcessResult {
  /** By itself, at its deadline, by the caller's signal, or because it wrote too much. */
  readonly ending: "exit" | "deadline" | "cancelled" | "output-limit";
  /** Absent when a signal ended it. */
  readonly exitCode?: number;
  readonly signal?: NodeJS.Signals;
  readonly stdout: CapturedOutput;
  readonly stderr: CapturedOutput;
  /** What it wrote to the descriptors that collect, by their number. */
  readonly collected: ReadonlyMap<number, Uint8Array>;
  readonly durationMs: number;
}

/** What was kept of a stream. */
export interface CapturedOutput {
  readonly head: Uint8Array;
  /** Empty unless something between was left out. */
  readonly tail: Uint8Array;
  /** How many bytes between head and tail were left out. */
  readonly omittedBytes: number;
}
