import type { Skills } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { reachedLimit } from "../reached-limit.ts";
import { firstErrors } from "./failure-list.ts";
import { faultEntry } from "./fault-entry.ts";
import { wrap } from "./fit-text.ts";
import type { Layout } from "./layout.ts";
import { showPath } from "./show-path.ts";

// A list is for skills; `doctor` and `--json` have all warnings.
const MAX_LISTED = 5;
const INDENT = "      ";

/** What is odd about the config and about the places where skills were looked for. */
export function warningList(skills: Skills, layout: Layout): string[] {
  // What else is wrong with a file that did not load can wait until it does.
  const failed = new Set(firstErrors(skills.snapshot).map(({ file }) => file));
  const warnings = [...skills.config.diagnostics, ...skills.snapshot.diagnostics].filter(
    ({ severity, file }) => severity === "warning" && !failed.has(file),
  );
  if (warnings.length === 0) return [];
  const listed = warnings.slice(0, MAX_LISTED);
  const rest = warnings.length - listed.length;
  return [
    layout.colours.bold("[Warnings]"),
    ...listed.flatMap((warning) => [...faultEntry(warning, layout), ...limitLines(skills, warning, layout)]),
    ...(rest > 0 ? [layout.colours.dim(`  and ${rest} more: skillet doctor`)] : []),
  ];
}

// Whoever is told to raise a limit has to know which file lowered it.
function limitLines(skills: Skills, warning: Diagnostic, layout: Layout): string[] {
  const { key, file, line } = reachedLimit(skills, warning) ?? {};
  if (key === undefined || file === undefined) return [];
  const place = `${showPath(file, layout.environment)}${line === undefined ? "" : `:${line}`}`;
  return wrap(`${key} is set in ${place}`, { width: layout.width - INDENT.length }).map(
    (text) => INDENT + layout.colours.dim(text),
  );
}
