import { listConfigValues, type Skills } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";

/** A limit of a search that left something out, and where it was set; without a file it is the default. */
export interface ReachedLimit {
  readonly key: string;
  readonly value: unknown;
  readonly file?: string;
  readonly line?: number;
}

const KEYS: ReadonlyMap<string, string> = new Map([
  ["depth-limit", "skills.limits.depth"],
  ["directory-limit", "skills.limits.directories"],
  ["entry-limit", "skills.limits.entries"],
]);

/** The limit that a diagnostic is about, if it is about one. */
export function reachedLimit(skills: Skills, diagnostic: Diagnostic): ReachedLimit | undefined {
  const wanted = KEYS.get(diagnostic.code);
  const root = skills.snapshot.roots.find(({ path }) => path === diagnostic.file);
  if (wanted === undefined || root === undefined) return undefined;
  const { config, layers } = skills.config;
  // What a project lowers holds for its own roots alone.
  const ofProject = root.scope === "project" || root.scope === "claude";
  const holding = ofProject ? layers : layers.filter(({ kind }) => kind !== "project");
  const found = listConfigValues({ config, layers: holding }).find(({ key }) => key === wanted);
  const { file, line } = found?.origins.at(-1) ?? {};
  return {
    key: wanted,
    value: found?.value,
    ...(file !== undefined && { file }),
    ...(line !== undefined && { line }),
  };
}
