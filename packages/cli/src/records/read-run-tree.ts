import { basename, join } from "node:path";
import { type RunSummary, summariseRun } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";

/** What happened in a run, and in the runs that were forked from it. */
export interface RunTree extends RunSummary {
  /** By run id, in the order they began. */
  readonly children: readonly ChildRun[];
}

/** A forked run; `run` is absent where its records are not below the parent's. */
export interface ChildRun {
  readonly runId: string;
  readonly run?: RunTree;
}

// Journals are outside input, and a link can make a run its own child.
const MAX_DEPTH = 8;
const MAX_RUNS = 1_000;

/** Reads the journal of a run and those of its children. */
export async function readRunTree(runFolder: string): Promise<RunTree> {
  return readRun(runFolder, { depth: 0, left: { runs: MAX_RUNS } });
}

interface Bounds {
  readonly depth: number;
  readonly left: { runs: number };
}

async function readRun(runFolder: string, bounds: Bounds): Promise<RunTree> {
  const summary = await summariseRun(runFolder);
  const forked = summary.events.flatMap(({ what, outcome, subject }) =>
    what === "fork" && outcome === "done" && subject !== undefined ? [subject] : [],
  );
  const children: ChildRun[] = [];
  for (const runId of new Set(forked)) {
    const run = await readChild(runFolder, runId, bounds);
    children.push({ runId, ...(run !== undefined && { run }) });
  }
  return { ...summary, children };
}

async function readChild(
  runFolder: string,
  runId: string,
  { depth, left }: Bounds,
): Promise<RunTree | undefined> {
  // The id comes from the journal and must not lead elsewhere.
  const isName = basename(runId) === runId && ![".", ".."].includes(runId) && !runId.includes("\0");
  if (!isName || depth >= MAX_DEPTH || left.runs <= 0) return undefined;
  left.runs -= 1;
  try {
    return await readRun(join(runFolder, "children", runId), { depth: depth + 1, left });
  } catch (error) {
    if (SkilletError.isInstance(error) && error.code === "run-not-found") return undefined;
    throw error;
  }
}
