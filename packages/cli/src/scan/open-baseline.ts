import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { canonicalPath } from "@skillet/kit/files";
import type { Baseline } from "@skillet/scan";
import { loadScanning } from "./load-scanning.ts";
import { readTextFile } from "./read-text-file.ts";

const MAX_BASELINE_BYTES = 64 * 1024 * 1024;

/** A baseline with the file it lies in, which its paths are relative to. */
export interface OpenBaseline {
  readonly file: string;
  readonly baseline: Baseline;
  /** What a skill is called in it, from whichever folder the command runs. */
  readonly keyOf: (path: string) => string;
}

/** Reads a baseline; `workspace` is what paths of skills are relative to. */
export async function openBaseline(file: string, workspace: string): Promise<OpenBaseline> {
  const text = await readTextFile(file, MAX_BASELINE_BYTES);
  return {
    file,
    baseline: loadScanning().parseBaseline(text, { file }),
    keyOf: baselineKeys(file, workspace),
  };
}

/** Names skills by their way from the folder of a baseline's file, so that a baseline means the same everywhere. */
export function baselineKeys(file: string, workspace: string): (path: string) => string {
  const folder = canonicalPath(dirname(file));
  return (path) => {
    const absolute = resolve(workspace, path);
    // A skill that is a link is called by the link, which lies in the repository as the baseline does.
    const real = join(canonicalPath(dirname(absolute)), basename(absolute));
    const way = relative(folder, real).split(sep).join("/");
    return way === "" ? "." : way;
  };
}
