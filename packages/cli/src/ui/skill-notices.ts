import type { RootReport, Skill, Skills, Snapshot } from "@skillet/core";
import { listConfigValues, needsTrust } from "@skillet/core/internal";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { listFirst, shellArgument } from "@skillet/kit/text";
import { type SkillFacts, waitingForTrust } from "./skill-state.ts";
import type { Layout, Terminal } from "./terminal.ts";
import {
  count,
  firstLines,
  hang,
  moreInJson,
  pad,
  sayingWhere,
  showControl,
  showPath,
  showSentence,
  spacedBlocks,
  wrap,
} from "./text.ts";

/** Says that a project's skills wait for trust, with the exact command; empty if none do. */
export function trustNotice(
  { project, snapshot }: Skills,
  layout: Layout,
  shown: readonly Skill[] = snapshot.skills,
  facts: ReadonlyMap<Skill, SkillFacts> = new Map(),
): string[] {
  const waiting = waitingForTrust(shown, facts);
  if (project === undefined || waiting.length === 0) return [];
  const { colours } = layout;
  const isOne = waiting.length === 1;
  const are = `${count(waiting.length, "skill")} of this project ${isOne ? "is" : "are"} not offered to agents that use Skillet`;
  const they = isOne ? "it" : "they";
  const why = project.trusted
    ? `${they} appeared after the folder was trusted`
    : "the folder is not trusted yet";
  return [
    ...hang(`${are}: ${why} (${listFirst(waiting, MAX_WAITING)}). To look and decide, run:`, layout, {
      indent: 2,
      lead: `${colours.yellow("!")} `,
    }),
    // Never wrapped: a command must survive copy and paste.
    `    ${colours.cyan(showSentence(trustCommand(project.root), layout.environment))}`,
  ];
}

export const MAX_WAITING = 4;

/** A path that cannot be shown verbatim would name another folder; inside the project none is needed. */
export function trustCommand(root: string, ...flags: readonly string[]): string {
  const folder = showControl(root) === root ? [shellArgument(root)] : [];
  return ["skillet", "trust", ...folder, ...flags].join(" ");
}

export function emptyState({ snapshot: { roots, diagnostics } }: Skills, layout: Layout): string[] {
  const { colours } = layout;
  const widest = roots.reduce((most, { scope }) => Math.max(most, scope.length), 0);
  const cut = new Set(diagnostics.flatMap(({ code, file }) => (KEYS.has(code) ? file : [])));
  const looked = roots.flatMap((root) => rootLines(root, rootNote(root, cut), widest, layout));
  // If skills exist but were not reached, the warnings below say what to do.
  const isCut = roots.some(({ path }) => cut.has(path));
  return spacedBlocks([
    [colours.bold(isCut ? "No skills found within the limits." : "No skills found.")],
    looked.length > 0 ? ["Looked in:", ...looked] : [],
    isCut
      ? []
      : [`To add one: ${colours.cyan("skillet new NAME")}, or ${colours.cyan("skillet install OWNER/REPO")}`],
  ]);
}

function rootLines(root: RootReport, note: string, widest: number, layout: Layout): string[] {
  const { colours, width, environment } = layout;
  const indent = widest + 4;
  const lines = wrap(showPath(root.path, environment), { width: width - indent });
  const last = lines.pop() ?? "";
  const fits = indent + last.length + note.length + 1 <= width;
  lines.push(...(fits ? [`${last} ${colours.dim(note)}`] : [last, colours.dim(note)]));
  return lines.map((line, index) => `  ${pad(index === 0 ? root.scope : "", widest)}  ${line}`);
}

function rootNote(root: RootReport, cut: ReadonlySet<string>): string {
  if (root.state === "missing") return "(not there)";
  if (root.state === "unreadable") return "(cannot be read)";
  if (root.failed > 0) return `(${root.failed} failed to load)`;
  return cut.has(root.path) ? "(not searched to the end)" : "(empty)";
}

// A broken checkout can contain thousands of errors; `doctor` and `--json` list them all.
const MAX_WARNINGS = 5;
const MAX_FAILURES = 20;

export function warningList(
  skills: Skills,
  layout: Layout,
  cured: (fault: Diagnostic) => Diagnostic,
): string[] {
  // Other problems of a file that failed to load can wait until it loads.
  const failed = new Set(firstErrors(skills.snapshot).map(({ file }) => file));
  const warnings = [...skills.config.diagnostics, ...skills.snapshot.diagnostics].filter(
    ({ severity, file }) => severity === "warning" && !failed.has(file),
  );
  return faultSection("[Warnings]", warnings.map(cured), MAX_WARNINGS, layout, (warning) => {
    const hint = showSentence(limitHint(skills, warning) ?? "", layout.environment);
    return hang(hint, layout, { indent: INDENT, paint: layout.colours.dim });
  });
}

export function failureList(snapshot: Snapshot, layout: Layout): string[] {
  return faultSection("[Failed to load]", firstErrors(snapshot), MAX_FAILURES, layout, () => []);
}

function faultSection(
  title: string,
  faults: readonly Diagnostic[],
  most: number,
  layout: Layout,
  more: (fault: Diagnostic) => readonly string[],
): string[] {
  if (faults.length === 0) return [];
  const { bold, dim } = layout.colours;
  return [
    bold(title),
    ...firstLines(
      faults,
      most,
      (fault) => [...faultEntry(fault, layout), ...more(fault)],
      (rest) => dim(`  and ${rest} more: ${sayingWhere("skillet doctor", layout)}`),
    ),
  ];
}

export function firstErrors(snapshot: Snapshot): readonly Diagnostic[] {
  const errors = snapshot.diagnostics.filter(({ severity }) => severity === "error");
  const first = new Map<string, Diagnostic>();
  for (const error of errors) if (!first.has(error.file)) first.set(error.file, error);
  return [...first.values()];
}

const MAX_PATH_LINES = 4;
const MAX_TEXT_LINES = 3;
const INDENT = 6;

function faultEntry(diagnostic: Diagnostic, layout: Layout): string[] {
  const { colours, environment } = layout;
  const { file, range, message, hint = "", severity } = diagnostic;
  const position = range === undefined ? "" : `:${range.line}:${range.column}`;
  const lead = `  ${severity === "error" ? colours.red("✗") : colours.yellow("!")} `;
  const below = { indent: INDENT, maxLines: MAX_TEXT_LINES };
  return [
    ...hang(showPath(file, environment) + position, layout, { indent: 4, lead, maxLines: MAX_PATH_LINES }),
    ...hang(showSentence(message, environment), layout, below),
    ...hang(showSentence(hint, environment), layout, { ...below, paint: colours.dim }),
  ];
}

// A skill may have as many problems as files; `--json` lists them all.
const MAX_WARNED = 20;

/** Prints diagnostics on standard error; with `--json` they are in the document. */
export function warnDiagnostics(
  { terminal, json }: { readonly terminal: Terminal; readonly json: boolean },
  diagnostics: readonly Diagnostic[],
): void {
  const { errors } = terminal;
  const linesOf = (diagnostic: Diagnostic): string[] => faultEntry(diagnostic, errors);
  if (!json) terminal.warn(firstLines(diagnostics, MAX_WARNED, linesOf, moreInJson(errors)));
}

const KEYS: ReadonlyMap<string, string> = new Map([
  ["depth-limit", "skills.limits.depth"],
  ["directory-limit", "skills.limits.directories"],
  ["entry-limit", "skills.limits.entries"],
]);

/** Names the file that lowered a limit, so that the user can raise it; undefined for default limits. */
export function limitHint(
  { snapshot, config: { config, layers } }: Skills,
  { code, file: path }: Diagnostic,
): string | undefined {
  const key = KEYS.get(code);
  const root = snapshot.roots.find((one) => one.path === path);
  if (key === undefined || root === undefined) return undefined;
  // A limit that a project lowers applies to its own roots only.
  const holding = needsTrust(root.scope) ? layers : layers.filter(({ kind }) => kind !== "project");
  const found = listConfigValues({ config, layers: holding }).find((entry) => entry.key === key);
  const { file, line } = found?.origins.at(-1) ?? {};
  return file && `${key} is set in ${file}${line === undefined ? "" : `:${line}`}`;
}
