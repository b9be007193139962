import { SkilletError } from "@skillet/kit/errors";
import { fieldOf } from "@skillet/kit/json";
import { readDocument } from "@skillet/kit/schema";
import type { Skill } from "./skill.ts";
import { type Snapshot, versionOf } from "./snapshot.ts";
import { snapshotSchema } from "./snapshot-shape.ts";

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
 * Reads a snapshot back and checks that it is complete: every field must have its type, and the version must
 * be the hash of the skills.
 *
 * @example
 * const snapshot = snapshotFromJson(JSON.parse(text));
 */
export function snapshotFromJson(value: unknown): Snapshot {
  if (fieldOf(value, "type") !== "skillet.snapshot" || fieldOf(value, "schemaVersion") !== 1)
    throw invalid(["it is not a skillet.snapshot of schema version 1"]);
  const { value: snapshot, faults } = readDocument(snapshotSchema, value);
  if (snapshot === undefined) throw invalid(faults.map(({ message }) => message));
  const { version, skills } = snapshot;
  if (versionOf(skills) !== version)
    throw invalid(["its version does not match its skills, so it was changed or cut"]);
  const repeated = findRepeated(skills);
  if (repeated !== undefined)
    throw invalid([`two of its skills have the qualified name ${JSON.stringify(repeated)}`]);
  return snapshot;
}

function findRepeated(skills: readonly Skill[]): string | undefined {
  const names = new Set<string>();
  for (const { qualifiedName } of skills) {
    if (names.has(qualifiedName)) return qualifiedName;
    names.add(qualifiedName);
  }
  return undefined;
}

function invalid(problems: readonly string[]): SkilletError {
  const [first, ...others] = problems;
  const more = others.length === 0 ? "" : ` (and ${others.length} more like this)`;
  const message = `The snapshot cannot be used: ${first}${more}. Discover the skills again.`;
  return new SkilletError("snapshot-invalid", message, { data: { problems } });
}
