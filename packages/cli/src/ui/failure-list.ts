import type { Snapshot } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { faultEntry } from "./fault-entry.ts";
import type { Layout } from "./layout.ts";

// One broken checkout can hold thousands; `doctor` and `--json` have them all.
const MAX_LISTED = 20;

/** The files that did not load, each with its first error and what to do about it. */
export function failureList(snapshot: Snapshot, layout: Layout): string[] {
  const failures = firstErrors(snapshot);
  if (failures.length === 0) return [];
  const listed = failures.slice(0, MAX_LISTED);
  const rest = failures.length - listed.length;
  return [
    layout.colours.bold("[Failed to load]"),
    ...listed.flatMap((failure) => faultEntry(failure, layout)),
    ...(rest > 0 ? [layout.colours.dim(`  and ${rest} more: skillet doctor`)] : []),
  ];
}

/** The first error of each file, in the order of the snapshot. */
export function firstErrors(snapshot: Snapshot): readonly Diagnostic[] {
  const first = new Map<string, Diagnostic>();
  for (const diagnostic of snapshot.diagnostics) {
    if (diagnostic.severity === "error" && !first.has(diagnostic.file))
      first.set(diagnostic.file, diagnostic);
  }
  return [...first.values()];
}
