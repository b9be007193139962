import { SkilletError } from "@skillet/kit/errors";
import { rawValueOf } from "../format/parse-json-map.ts";
import type { RawMap } from "../format/raw-header.ts";
import { ShapeCheck } from "./json-shape.ts";
import type { Skill } from "./skill.ts";
import type { Snapshot } from "./snapshot.ts";
import { snapshotShape } from "./snapshot-shape.ts";
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
 * Reads a snapshot back and checks that it is whole: every field must be of its type, and the version must be the hash
 * of the skills.
 *
 * @example
 * const snapshot = snapshotFromJson(JSON.parse(text));
 */
export function snapshotFromJson(value: unknown): Snapshot {
  if (!isSnapshotJson(value)) throw invalid(["it is not a skillet.snapshot of schema version 1"]);
  const check = new ShapeCheck();
  snapshotShape(value, check);
  if (check.problems.length > 0) throw invalid(check.problems);
  const { version, roots, skills, diagnostics } = value;
  if (versionOf(skills) !== version)
    throw invalid(["its version does not fit its skills, so it was changed or cut"]);
  const repeated = findRepeated(skills);
  if (repeated !== undefined)
    throw invalid([`two of its skills have the qualified name ${JSON.stringify(repeated)}`]);
  return { version, roots, skills: skills.map(withSafeMaps), diagnostics };
}

function isSnapshotJson(value: unknown): value is SnapshotJson {
  if (typeof value !== "object" || value === null) return false;
  const { type, schemaVersion } = value as Partial<Record<keyof SnapshotJson, unknown>>;
  return type === "skillet.snapshot" && schemaVersion === 1;
}

function findRepeated(skills: readonly Skill[]): string | undefined {
  const names = new Set<string>();
  for (const { qualifiedName } of skills) {
    if (names.has(qualifiedName)) return qualifiedName;
    names.add(qualifiedName);
  }
  return undefined;
}

// Where a header's keys stand, nothing of an ordinary object's prototype may show through.
function withSafeMaps(skill: Skill): Skill {
  const { manifest } = skill;
  return {
    ...skill,
    manifest: {
      ...manifest,
      ...(manifest.hooks !== undefined && { hooks: rawValueOf(manifest.hooks) }),
      metadata: rawValueOf(manifest.metadata) as RawMap,
      extra: rawValueOf(manifest.extra) as RawMap,
      install: manifest.install.map((spec) => ({ ...spec, fields: rawValueOf(spec.fields) as RawMap })),
    },
  };
}

function invalid(problems: readonly string[]): SkilletError {
  const [first, ...others] = problems;
  const more = others.length === 0 ? "" : ` (and ${others.length} more like this)`;
  return new SkilletError(
    "snapshot-invalid",
    `The snapshot cannot be used: ${first}${more}. Discover the skills again.`,
    { data: { problems } },
  );
}
