import type { Skills, Snapshot } from "@skillet/core";
import { listConfigValues } from "@skillet/core/internal";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { wrap } from "./fit-text.ts";
import { showPath, showSentence } from "./show-path.ts";
import type { Layout, Terminal } from "./terminal.ts";

// A list is for skills; `doctor` and `--json` have all warnings.
const MAX_WARNINGS = 5;

/** What is odd about the config and about the places where skills were looked for. */
export function warningList(skills: Skills, layout: Layout): string[] {
  // What else is wrong with a file that did not load can wait until it does.
  const failed = new Set(firstErrors(skills.snapshot).map(({ file }) => file));
  const warnings = [...skills.config.diagnostics, ...skills.snapshot.diagnostics].filter(
    ({ severity, file }) => severity === "warning" && !failed.has(file),
  );
  if (warnings.length === 0) return [];
  const listed = warnings.slice(0, MAX_WARNINGS);
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

// One broken checkout can hold thousands; `doctor` and `--json` have them all.
const MAX_FAILURES = 20;

/** The files that did not load, each with its first error and what to do about it. */
export function failureList(snapshot: Snapshot, layout: Layout): string[] {
  const failures = firstErrors(snapshot);
  if (failures.length === 0) return [];
  const listed = failures.slice(0, MAX_FAILURES);
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

const MAX_PATH_LINES = 4;
const MAX_TEXT_LINES = 3;
const INDENT = "      ";

/** A diagnostic in a list: the place, what is wrong there, and what to do about it. */
function faultEntry(diagnostic: Diagnostic, layout: Layout): string[] {
  const { colours, width, environment } = layout;
  const { file, range, message, hint = "", severity } = diagnostic;
  const position = range === undefined ? "" : `:${range.line}:${range.column}`;
  const place = wrap(showPath(file, environment) + position, { width: width - 4, maxLines: MAX_PATH_LINES });
  const mark = severity === "error" ? colours.red("✗") : colours.yellow("!");
  const fit = (text: string): string[] =>
    wrap(showSentence(text, environment), { width: width - INDENT.length, maxLines: MAX_TEXT_LINES });
  return [
    ...place.map((line, index) => `  ${index === 0 ? mark : " "} ${line}`),
    ...fit(message).map((line) => INDENT + line),
    ...fit(hint).map((line) => INDENT + colours.dim(line)),
  ];
}

// A skill may have as many faults as files; `--json` has them all.
const MAX_WARNED = 20;

/** Lists diagnostics on standard error. */
export function warnDiagnostics(
  { terminal, environment }: Pick<Layout, "environment"> & { readonly terminal: Terminal },
  diagnostics: readonly Diagnostic[],
): void {
  const layout = { width: terminal.errorLineWidth, colours: terminal.errorColours, environment };
  for (const diagnostic of diagnostics.slice(0, MAX_WARNED))
    for (const line of faultEntry(diagnostic, layout)) terminal.warn(line);
  const rest = diagnostics.length - MAX_WARNED;
  if (rest > 0) terminal.warn(layout.colours.dim(`  and ${rest} more: --json lists all`));
}

/** A limit of a search that left something out, and where it was set; without a file it is the default. */
interface ReachedLimit {
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
