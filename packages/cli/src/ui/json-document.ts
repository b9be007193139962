import type { Skill } from "@skillet/core";
import { findObstacle, tokenCost, type UseRules } from "@skillet/core/internal";
import type { InstalledSource } from "@skillet/hub";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { isPlainText } from "@skillet/kit/text";
import { type Readers, type SkillFacts, shownState } from "./skill-state.ts";
import type { Terminal } from "./terminal.ts";
import { CONTROL, INVISIBLE } from "./text.ts";

/** Part of a document, written field by field, so that no field gets in unnoticed. */
type Row = Readonly<Record<string, unknown>>;

/** Raised only for incompatible changes to a document. */
export const SCHEMA_VERSION = 1;

export function printJson(terminal: Terminal, document: Readonly<Record<string, unknown>>): void {
  terminal.printRaw(`${toJson({ schemaVersion: SCHEMA_VERSION, ...document })}\n`);
}

/** Formats a document or part of one, safe for a terminal. Diagnostics are formatted by `diagnosticRow`. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, flattenDiagnostics, 2)
    .split("\n")
    .map((line) => (isPlainText(line) ? line : escapeUnseen(line)))
    .join("\n");
}

function flattenDiagnostics(key: string, value: unknown): unknown {
  if (key !== "diagnostics" || !Array.isArray(value)) return value;
  return value.map((one) => (isDiagnostic(one) ? diagnosticRow(one) : one));
}

function isDiagnostic(value: unknown): value is Diagnostic {
  return typeof value === "object" && value !== null && "severity" in value && !("line" in value);
}

// JSON keeps these as they are, but a terminal would obey or hide them; escaping does not change the data.
function escapeUnseen(line: string): string {
  unseen ??= new RegExp(`[${CONTROL}${INVISIBLE}]`, "gu");
  const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return line.replace(unseen, (character) => character.split("").map(escapeUnit).join(""));
}

let unseen: RegExp | undefined;

export function diagnosticRow(diagnostic: Diagnostic): Row {
  const { code, severity, message, file, range, hint } = diagnostic;
  return { code, severity, message, file, line: range?.line, column: range?.column, hint };
}

interface SkillRowOptions {
  readonly installed?: InstalledSource | undefined;
  readonly rules?: UseRules;
  readonly readers?: Readers;
}

const unlessEmpty = <Item>(items: readonly Item[] = []): readonly Item[] | undefined =>
  items.length > 0 ? items : undefined;

export function skillRow(
  skill: Skill,
  known?: SkillFacts,
  { installed, rules, readers }: SkillRowOptions = {},
): Row {
  const { name, qualifiedName, manifest, scope, origin, path, state, digest } = skill;
  const { model, user } = manifest.invocation;
  const withheld = known?.withheld;
  const obstacle = findObstacle(skill, { scan: known, rules });
  const isDenied = obstacle?.step === "policy";
  const reason = skill.reason ?? withheld ?? (isDenied ? obstacle.reason : undefined);
  const { version, license, author, compatibility, ui } = manifest;
  return {
    name,
    qualifiedName,
    description: manifest.description,
    scope,
    path,
    state,
    ...(origin === "agent-created" && { origin }),
    status: shownState(skill, known, rules, readers),
    reason,
    // Only what the header claims: no decision depends on it.
    version,
    license,
    author,
    compatibility,
    ...(Object.keys(ui).length > 0 && { ui }),
    invocation: { model, user },
    agents: readers?.loading.map(({ id }) => id),
    digest,
    unsure: unlessEmpty(readers?.unsure.map(({ id }) => id)),
    switchedOff: unlessEmpty(readers?.switchedOff.map(({ id }) => id)),
    refusedBy: unlessEmpty(readers?.refusedBy.map(({ agent, why }) => ({ agent: agent.id, why }))),
    // Absent if it was not scanned in its current state.
    verdict: known?.verdict,
    // By the user, for exactly these bytes.
    ...(known?.approved === true && { approved: true }),
    ...((withheld !== undefined || isDenied) && { offered: false }),
    withheld,
    changed: known?.changed,
    // According to the user's own lock.
    installed: installed && {
      source: installed.source,
      resolved: installed.resolved,
      pinned: installed.pinned,
    },
    tokens: tokenCost(skill),
    diagnostics: skill.diagnostics,
  };
}
