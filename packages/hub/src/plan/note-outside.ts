import type { Diagnostic } from "@skillet/kit/diagnostics";
import { outsidePaths } from "./check-inside.ts";
import type { HubParts } from "./hub-parts.ts";
import type { PlanItem } from "./plan.ts";

/** Says which items a project's lock would name by a path that only this machine has: nobody else can fetch them. */
export function noteOutside(
  parts: Pick<HubParts, "scope" | "root" | "userHome" | "lockFile">,
  items: readonly PlanItem[],
): readonly Diagnostic[] {
  return items.flatMap(({ name, entry }): readonly Diagnostic[] => {
    const [path] = outsidePaths(parts, entry);
    if (path === undefined) return [];
    return [
      {
        code: "source-of-this-machine",
        severity: "warning",
        message: `${name} comes from ${path}, which lies outside the project: others who work on it have its files once they are committed, but cannot fetch or update it from there.`,
        file: parts.lockFile,
        hint: "Copy it into the repository and install it from there, or install it from a remote source.",
      },
    ];
  });
}
