import { runChild } from "./run-child.ts";

/** Peak resident memory of a fresh process that discovers once cold and once warm. */
export interface MemoryReport {
  readonly found: number;
  /** The first call of the process: nothing is compiled or optimised yet. */
  readonly coldMs: number;
  readonly warmMs: number;
  readonly peakBytes: number;
}

const TIMEOUT_MS = 600_000;

/** Measures memory in a child, because a process that ran a benchmark has seen far more than one discovery. */
export async function measureMemory(root: string): Promise<MemoryReport | { readonly failure: string }> {
  const result = await runChild<MemoryReport>(new URL("../memory-child.js", import.meta.url), {
    args: [root],
    timeoutMs: TIMEOUT_MS,
  });
  return result.messages[0] ?? { failure: result.failure ?? "the child sent nothing" };
}
