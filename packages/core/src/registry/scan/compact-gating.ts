import type { Gating } from "../../format/manifest.ts";
import { NO_GATING } from "../../format/manifest-draft.ts";

const KEYS = [...(Object.keys(NO_GATING) as (keyof Gating)[]), "skillKey", "primaryEnv"] as const;

/** Writes down only what a gating asks for; most skills ask for one command. */
export function writeGating(gating: Gating): string {
  let text = "";
  for (const key of KEYS) {
    const value = gating[key];
    if (value === undefined || value === false || (Array.isArray(value) && value.length === 0)) continue;
    text += `${text === "" ? "" : ","}"${key}":${JSON.stringify(value)}`;
  }
  return `{${text}}`;
}

/** The gating that was written down. */
export function readGating(text: string): Gating {
  return { ...NO_GATING, ...(JSON.parse(text) as Partial<Gating>) };
}
