import { opendir } from "node:fs/promises";
import { join } from "node:path";
import { type ReadRunOutcomesOptions, type RunOutcomes, readRunOutcomes } from "@skillet/core/internal";
import { type Diagnostic, diagnostic } from "@skillet/kit/diagnostics";
import { errorCode, SkilletError } from "@skillet/kit/errors";
import { compareByteOrder } from "@skillet/kit/order";

/** The outcomes of skills in some runs, and diagnostics about runs that could not be read. */
export interface ReadRuns {
  readonly runs: readonly RunOutcomes[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The rest is neither read nor reported. */
const MAX_RUNS = 1_000;
const MAX_LISTED = 20_000;
const MAX_OUTCOMES = 100_000;
const MAX_DIAGNOSTICS = 50;

/**
 * Reads the runs in some folders. Each folder is a run or contains runs; anything else is skipped.
 *
 * Of more than 1,000 runs, the last by name are read: the newest, if names begin with a date.
 */
export async function readRuns(
  folders: readonly string[],
  options: ReadRunOutcomesOptions = {},
): Promise<ReadRuns> {
  const runs = new Map<string, RunOutcomes>();
  const diagnostics: Diagnostic[] = [];
  let outcomes = 0;
  const take = async (runFolder: string): Promise<boolean> => {
    if (runs.has(runFolder)) return true;
    const read = await readRun(runFolder, options);
    if (read === undefined) return false;
    diagnostics.push(...read.diagnostics);
    outcomes += read.outcomes.length;
    runs.set(runFolder, read);
    return true;
  };
  for (const folder of folders) {
    if (await take(folder)) continue;
    const { names, isWhole } = await listFolders(folder);
    if (!isWhole) diagnostics.push(tooMany(folder));
    for (const name of names) {
      if (outcomes >= MAX_OUTCOMES || runs.size >= MAX_RUNS) {
        diagnostics.push(tooMany(folder));
        break;
      }
      await take(join(folder, name));
    }
  }
  return { runs: [...runs.values()], diagnostics: diagnostics.slice(0, MAX_DIAGNOSTICS) };
}

async function readRun(runFolder: string, options: ReadRunOutcomesOptions): Promise<RunOutcomes | undefined> {
  try {
    return await readRunOutcomes(runFolder, options);
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    if (error.code === "run-not-found") return undefined;
    if (error.code !== "records-unavailable") throw error;
    // One unreadable run must not keep the others from being learned from.
    const message = `Nothing was learned from this run: ${error.message}`;
    const hint = "Make its journal readable, or leave the run out.";
    const unreadable = diagnostic("warning", "run-unreadable", runFolder, message, hint);
    return { runFolder, runId: runFolder, outcomes: [], diagnostics: [unreadable] };
  }
}

async function listFolders(
  folder: string,
): Promise<{ readonly names: readonly string[]; readonly isWhole: boolean }> {
  const names: string[] = [];
  let listed = 0;
  try {
    for await (const entry of await opendir(folder)) {
      listed += 1;
      if (listed > MAX_LISTED) break;
      // Links are not followed: they could bring in runs from a folder that the user did not name.
      if (entry.isDirectory()) names.push(entry.name);
    }
  } catch (error) {
    const code = errorCode(error);
    const message = `The folder of runs ${folder} cannot be listed (EACCES); make it readable, or name another one.`;
    if (code === "EACCES")
      throw new SkilletError("records-unavailable", message, { data: { folder }, cause: error });
    if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
  }
  const sorted = names.sort(compareByteOrder);
  return { names: sorted.slice(-MAX_RUNS), isWhole: listed <= MAX_LISTED && sorted.length <= MAX_RUNS };
}

function tooMany(folder: string): Diagnostic {
  const message = `There are more than ${MAX_RUNS} runs, or ${MAX_OUTCOMES} outcomes in them; the rest was not read.`;
  return diagnostic("warning", "runs-cut", folder, message, "Name the runs that matter, or remove old ones.");
}
