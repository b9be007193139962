import { SkilletError } from "@skillet/kit/errors";

/** The limits of one run. */
export interface RunLimits {
  readonly timeoutMs: number;
  /** The most that is kept of each output stream. */
  readonly outputBytes: number;
  readonly memoryBytes: number;
  readonly processes: number;
  readonly fileBytes: number;
  readonly cpuSeconds: number;
  readonly temporaryBytes: number;
  readonly openFiles: number;
}

export const MAX_TIMEOUT_MS = 600_000;

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

type AllLimits = RunLimits & { readonly concurrentRuns: number };

// Outside these bounds a limit is useless; with less memory than the minimum, no interpreter starts.
const BOUNDS: Readonly<Record<keyof AllLimits, readonly [least: number, most: number]>> = {
  timeoutMs: [1, MAX_TIMEOUT_MS],
  outputBytes: [1024, 16 * 1024 * 1024],
  memoryBytes: [16 * 1024 * 1024, 1024 * GIBIBYTE],
  processes: [1, 32_768],
  fileBytes: [1, 1024 * GIBIBYTE],
  cpuSeconds: [1, 3600],
  temporaryBytes: [64 * 1024, 64 * GIBIBYTE],
  openFiles: [16, 1_048_576],
  concurrentRuns: [1, 64],
};

/** Fills in defaults, and refuses a limit that is unknown, not a whole number or out of bounds. */
export function resolveRunLimits(given: Partial<AllLimits>): AllLimits {
  // A misspelled limit would limit nothing.
  const odd = Object.keys(given).find((name) => !Object.hasOwn(BOUNDS, name));
  if (odd !== undefined) {
    const message = `Unknown limit ${JSON.stringify(odd.slice(0, 100))}. Use one of ${Object.keys(BOUNDS).join(", ")}.`;
    throw new SkilletError("run-limit-invalid", message, { data: { name: odd } });
  }
  const limits: Record<keyof AllLimits, number> = { ...DEFAULT_RUN_LIMITS, concurrentRuns: 4 };
  for (const name of Object.keys(BOUNDS) as (keyof AllLimits)[]) {
    const [least, most] = BOUNDS[name];
    const value: unknown = given[name] === undefined ? limits[name] : given[name];
    if (!Number.isSafeInteger(value) || Number(value) < least || Number(value) > most) {
      const message = `The limit ${name} is ${JSON.stringify(value) ?? String(value)}; pass a whole number from ${least} to ${most}.`;
      throw new SkilletError("run-limit-invalid", message, { data: { name, least, most } });
    }
    limits[name] = Number(value);
  }
  return limits;
}
