import type { Diagnostic, Snapshot } from "@skillet/core";
import { truncateStart, wrap } from "./fit-text.ts";
import type { Layout } from "./layout.ts";
import { showPath } from "./show-path.ts";
import { stripControl } from "./strip-control.ts";

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
    ...listed.flatMap((failure) => failureEntry(failure, layout)),
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

function failureEntry(failure: Diagnostic, layout: Layout): string[] {
  const { colours, width } = layout;
  const { range } = failure;
  const position = range === undefined ? "" : `:${range.line}:${range.column}`;
  const text = wrap(stripControl(failure.message), { width: width - 6, maxLines: 3 });
  const hint =
    failure.hint === undefined ? [] : wrap(stripControl(failure.hint), { width: width - 6, maxLines: 3 });
  return [
    `  ${colours.red("✗")} ${truncateStart(showPath(failure.file, layout.environment) + position, width - 4)}`,
    ...text.map((line) => `      ${line}`),
    ...hint.map((line) => `      ${colours.dim(line)}`),
  ];
}
