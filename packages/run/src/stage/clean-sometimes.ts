import { lstatSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { cleanStaged } from "./clean-staged.ts";

const INTERVAL_MS = 60 * 60 * 1000;

const lookedAtMs = new Map<string, number>();

/** Cleans the staged skills at most once an hour, whoever asks; a cleaning that fails is no reason not to run a script. */
export async function cleanSometimes(directory: string, now: Date): Promise<readonly Diagnostic[]> {
  const last = lookedAtMs.get(directory);
  if (last !== undefined && Math.abs(now.getTime() - last) < INTERVAL_MS) return [];
  lookedAtMs.set(directory, now.getTime());
  try {
    if (!isDue(join(directory, ".cleaned"), now)) return [];
    await cleanStaged({ directory, now });
    return [];
  } catch (error) {
    if (!SkilletError.isInstance(error) && (error as NodeJS.ErrnoException).code === undefined) throw error;
    return [
      {
        code: "staging-cleanup-failed",
        severity: "warning",
        message: `Staged skills that are no longer used could not be removed: ${(error as Error).message}`,
        file: directory,
        hint: "Remove the folder by hand when no script runs; it is made again.",
      },
    ];
  }
}

function isDue(stamp: string, now: Date): boolean {
  const stats = lstatSync(stamp, { throwIfNoEntry: false });
  const age = stats && now.getTime() - stats.mtimeMs;
  // A stamp from the future is one of a clock that was wrong.
  if (age !== undefined && age >= 0 && age < INTERVAL_MS) return false;
  writeFileSync(stamp, "", { mode: 0o600 });
  utimesSync(stamp, now, now);
  return true;
}
