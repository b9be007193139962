import type { Skill } from "@skillet/core";
import { tokenCost } from "@skillet/core/internal";
import type { InstalledSource } from "@skillet/hub";
import type { Diagnostic, Severity } from "@skillet/kit/diagnostics";
import { isPlainText } from "@skillet/kit/text";
import type { ShownVerdict } from "./skill-state.ts";
import type { Terminal } from "./terminal.ts";
import { CONTROL, INVISIBLE } from "./text.ts";

/** Raised only when a document changes in a way that is not an extension. */
export const SCHEMA_VERSION = 1;

export function printJson(terminal: Terminal, document: Readonly<Record<string, unknown>>): void {
  terminal.printRaw(`${toJson({ schemaVersion: SCHEMA_VERSION, ...document })}\n`);
}

/** A document, or a part of one, that a terminal can be shown. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, undefined, 2)
    .split("\n")
    .map((line) => (isPlainText(line) ? line : escapeUnseen(line)))
    .join("\n");
}

// JSON leaves these as they are, but a terminal would obey them or hide them; escaped, the data stays the same.
function escapeUnseen(line: string): string {
  unseen ??= new RegExp(`[${CONTROL}${INVISIBLE}]`, "gu");
  return line.replace(unseen, (character) =>
    Array.from({ length: character.length }, (_, index) => escapeUnit(character.charCodeAt(index))).join(""),
  );
}

let unseen: RegExp | undefined;

function escapeUnit(codeUnit: number): string {
  return `\\u${codeUnit.toString(16).padStart(4, "0")}`;
}

/** A diagnostic as the JSON documents show it: the position flattened. */
interface DiagnosticRow {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  readonly hint?: string;
}

export function diagnosticRow(diagnostic: Diagnostic): DiagnosticRow {
  const { code, severity, message, file, range, hint } = diagnostic;
  return {
    code,
    severity,
    message,
    file,
    ...(range && { line: range.line, column: range.column }),
    ...(hint !== undefined && { hint }),
  };
}

interface SkillRow {
  readonly name: string;
  readonly qualifiedName: string;
  readonly description: string;
  readonly scope: Skill["scope"];
  readonly path: string;
  readonly state: Skill["state"];
  readonly reason?: string;
  /** Who may invoke it, once its state allows it at all. */
  readonly invocation: { readonly model: boolean; readonly user: boolean };
  readonly digest: string;
  /** What the scan said of it as it is now; absent where it was not scanned. */
  readonly verdict?: string;
  /** There where only somebody's yes to exactly these bytes lets it be offered. */
  readonly approved?: true;
  /** There, as false, where what the scan said keeps it back. */
  readonly offered?: false;
  /** Why the scan keeps it back, with the command that helps. */
  readonly withheld?: string;
  /** Where it was installed from, by your own lock; absent for what nobody installed. */
  readonly installed?: Pick<InstalledSource, "source" | "resolved" | "pinned">;
  readonly tokens: { readonly catalog: number; readonly body: number };
  readonly diagnostics: readonly DiagnosticRow[];
}

/** The row of a skill in `show --json`, which `explain --json` extends. */
export function skillRow(skill: Skill, known?: ShownVerdict, installed?: InstalledSource): SkillRow {
  const reason = skill.reason ?? known?.withheld;
  return {
    name: skill.name,
    qualifiedName: skill.qualifiedName,
    description: skill.manifest.description,
    scope: skill.scope,
    path: skill.path,
    state: skill.state,
    ...(reason !== undefined && { reason }),
    invocation: { model: skill.manifest.invocation.model, user: skill.manifest.invocation.user },
    digest: skill.digest,
    ...(known !== undefined && { verdict: known.verdict }),
    ...(known?.approved === true && { approved: true }),
    ...(known?.withheld !== undefined && { offered: false, withheld: known.withheld }),
    ...(installed !== undefined && { installed: installedRow(installed) }),
    tokens: tokenCost(skill),
    diagnostics: skill.diagnostics.map(diagnosticRow),
  };
}

function installedRow({ source, resolved, pinned }: InstalledSource): NonNullable<SkillRow["installed"]> {
  return { source, resolved, ...(pinned !== undefined && { pinned }) };
}
