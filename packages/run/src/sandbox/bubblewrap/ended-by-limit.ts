import { availableParallelism } from "node:os";
import type { ProcessResult } from "@skillet/kit/process";
import type { RunLimits } from "../../run-limits.ts";
import type { LimitGroup } from "../limits/limit-group.ts";
import type { SandboxOutcome } from "../sandbox.ts";

// bubblewrap ends as a shell does: 128 and the number of the signal.
const KILLED = 128 + 9;
const CPU_USED_UP = 128 + 24;
const FILE_TOO_LARGE = 128 + 25;

/** Which limit ended a run, as far as the kernel tells. */
export async function endedByLimit(run: {
  readonly result: ProcessResult;
  readonly limits: RunLimits;
  readonly group: LimitGroup | undefined;
}): Promise<SandboxOutcome["limit"]> {
  const { result, limits, group } = run;
  if (await group?.hasRunOutOfMemory()) return "memory";
  // A script may end with these numbers by itself; then it is its own word for why, and no limit is made worse by it.
  if (result.exitCode === FILE_TOO_LARGE) return "file-size";
  // Whoever ignores the first signal is killed a second later.
  const isEnded = result.exitCode === CPU_USED_UP || result.exitCode === KILLED;
  const possibleCpuMs = result.durationMs * availableParallelism();
  return isEnded && possibleCpuMs >= limits.cpuSeconds * 1000 ? "cpu" : undefined;
}
