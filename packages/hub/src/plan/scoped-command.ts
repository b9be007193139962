import type { HubParts } from "./hub-parts.ts";

/** A command as somebody must type it for this lock: for a project's with `--project`. */
export function scopedCommand({ scope }: Pick<HubParts, "scope">, words: string): string {
  return `skillet ${words}${scope.kind === "project" ? " --project" : ""}`;
}
