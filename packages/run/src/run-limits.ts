import { SkilletError } from "@skillet/kit/errors";

/** What one run may use. */
export interface RunLimits {
  readonly timeoutMs: number;
  /** Kept of each output stream. */
  readonly outputBytes: number;
  readonly memoryBytes: number;
  readonly processes: number;
  /** The largest file that may be written. */
  readonly fileBytes: number;
  readonly cpuSeconds: number;
  /** What fits into the private /tmp. */
  readonly temporaryBytes: number;
  readonly openFiles: number;
}

/** What no run gets more of. */
export const MAX_TIMEOUT_MS = 600_000;

/** What a run may use where a runner was given no limits of its own. */
export const DEFAULT_RUN_LIMITS: RunLimits = {
  timeoutMs: 60_000,
  outputBytes: 1024 * 1024,
  memoryBytes: 1024 * 1024 * 1024,
  processes: 128,
  fileBytes: 256 * 1024 * 1024,
  cpuSeconds: 120,
  temporaryBytes: 128 * 1024 * 1024,
  openFiles: 1024,
};

const GIBIBYTE = 1024 * 1024 * 1024;

// Beyond these a limit limits nothing. Memory has a lower bound too: below it no interpreter starts.
const BOUNDS: Readonly<Record<keyof RunLimits, readonly [least: number, most: number]>> = {
  timeoutMs: [1, MAX_TIMEOUT_MS],
  outputBytes: [1024, 16 * 1024 * 1024],
  memoryBytes: [16 * 1024 * 1024, 1024 * GIBIBYTE],
  processes: [1, 32_768],
  fileBytes: [1, 1024 * GIBIBYTE],
  cpuSeconds: [1, 3600],
  temporaryBytes: [64 * 1024, 64 * GIBIBYTE],
  openFiles: [16, 1_048_576],
};

/** Fills in the limits that nobody gave, and refuses one that is no whole number within its bounds. */
export function resolveRunLimits(given: Partial<RunLimits>): RunLimits {
  // A limit that is written wrongly would not limit anything.
  const odd = Object.keys(given).find((name) => !Object.hasOwn(BOUNDS, name));
  if (odd !== undefined)
    throw new SkilletError(
      "run-limit-invalid",
      `There is no limit ${JSON.stringify(odd.slice(0, 100))}; there are ${Object.keys(BOUNDS).join(", ")} and concurrentRuns.`,
      { data: { name: odd } },
    );
  for (const [name, [least, most]] of Object.entries(BOUNDS)) {
    const value: unknown = given[name as keyof RunLimits];
    if (
      value === undefined ||
      (Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most)
    )
      continue;
    throw new SkilletError(
      "run-limit-invalid",
      `The limit ${name} is ${JSON.stringify(value) ?? String(value)}; pass a whole number from ${least} to ${most}.`,
      { data: { name, least, most } },
    );
  }
  const limits: Record<keyof RunLimits, number> = { ...DEFAULT_RUN_LIMITS };
  for (const name of Object.keys(BOUNDS) as (keyof RunLimits)[]) limits[name] = given[name] ?? limits[name];
  return limits;
}
