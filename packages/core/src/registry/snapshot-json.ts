import { SkilletError } from "../skillet-error.ts";
import type { Skill } from "./skill.ts";
import type { Snapshot } from "./snapshot.ts";
import { versionOf } from "./snapshot-version.ts";

/** A snapshot as plain data, for a file or another process. */
export interface SnapshotJson extends Snapshot {
  readonly type: "skillet.snapshot";
  readonly schemaVersion: 1;
}

/** Turns a snapshot into plain data that `snapshotFromJson` accepts. */
export function snapshotToJson(snapshot: Snapshot): SnapshotJson {
  const { version, roots, skills, diagnostics } = snapshot;
  const plain = { type: "skillet.snapshot", schemaVersion: 1, version, roots, skills, diagnostics };
  return JSON.parse(JSON.stringify(plain)) as SnapshotJson;
}

/**
 * Reads a snapshot back and checks that it is whole: its version must be the hash of its skills.
 *
 * @example
 * const snapshot = snapshotFromJson(JSON.parse(text));
 */
export function snapshotFromJson(value: unknown): Snapshot {
  if (!isSnapshotJson(value)) throw invalid("it is not a skillet.snapshot of schema version 1");
  const { version, roots, skills, diagnostics } = value;
  if (versionOf(skills) !== version)
    throw invalid("its version does not fit its skills, so it was changed or cut");
  return { version, roots, skills, diagnostics };
}

function isSnapshotJson(value: unknown): value is SnapshotJson {
  if (typeof value !== "object" || value === null) return false;
  const candidate = value as Partial<Record<keyof SnapshotJson, unknown>>;
  return (
    candidate.type === "skillet.snapshot" &&
    candidate.schemaVersion === 1 &&
    typeof candidate.version === "string" &&
    Array.isArray(candidate.roots) &&
    Array.isArray(candidate.diagnostics) &&
    Array.isArray(candidate.skills) &&
    candidate.skills.every(isSkillJson)
  );
}

function isSkillJson(value: unknown): value is Skill {
  if (typeof value !== "object" || value === null) return false;
  const { qualifiedName, path, digest, state, manifest } = value as Partial<Record<keyof Skill, unknown>>;
  return (
    [qualifiedName, path, digest, state].every((text) => typeof text === "string") &&
    typeof manifest === "object" &&
    manifest !== null
  );
}

function invalid(why: string): SkilletError {
  return new SkilletError(
    "snapshot-invalid",
    `The snapshot cannot be used: ${why}. Discover the skills again.`,
  );
}
