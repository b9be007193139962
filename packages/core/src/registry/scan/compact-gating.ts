import { NO_GATING } from "../../format/default-manifest.ts";
import type { Gating } from "../../format/manifest.ts";

/** Writes down only what a gating asks for; most skills ask for one command. */
export function writeGating(gating: Gating): string {
  const compact: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(gating))
    if (value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0))
      compact[key] = value;
  return JSON.stringify(compact);
}

/** The gating that was written down. */
export function readGating(text: string): Gating {
  return { ...NO_GATING, ...(JSON.parse(text) as Partial<Gating>) };
}
