import { createHash } from "node:crypto";
import { atOnce, createPause, inSlices } from "@skillet/kit/async";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import type { Scope, Skill } from "./skill.ts";

/** One root that discovery looked at, whether or not it exists. */
export interface RootReport {
  readonly scope: Scope;
  readonly path: string;
  readonly sourceId: string;
  readonly state: "scanned" | "missing" | "unreadable";
  /** False for project roots in a folder that is not trusted yet. */
  readonly trusted: boolean;
  readonly skills: number;
  readonly failed: number;
}

/**
 * The result of one discovery; immutable and serialisable.
 *
 * Contains every skill that was found: disabled, unavailable, untrusted and shadowed ones have a reason.
 */
export interface Snapshot {
  /** A hash over the skills' identities, digests and states; equal content gives an equal version. */
  readonly version: Digest;
  readonly roots: readonly RootReport[];
  /** In byte order of qualified name. */
  readonly skills: readonly Skill[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The hash of the skills and their states, equal for equal content. */
export function versionOf(skills: readonly Skill[]): Digest {
  return versions.get(skills) ?? atOnce(findVersion(skills));
}

/** Computes the version in slices; afterwards, reading it takes no time. */
export function settleVersion({ skills }: Snapshot): Promise<Digest> {
  return inSlices(findVersion(skills));
}

const versions = new WeakMap<readonly Skill[], Digest>();

function* findVersion(skills: readonly Skill[]): Generator<undefined, Digest> {
  const known = versions.get(skills);
  if (known !== undefined) return known;
  const sum = createHash("sha256");
  for (const [index, { qualifiedName, path, digest, settingsDigest, state }] of skills.entries()) {
    const line = JSON.stringify([qualifiedName, path, digest, settingsDigest ?? null, state]);
    sum.update(index === 0 ? line : `\n${line}`);
    yield;
  }
  const version: Digest = `sha256:${sum.digest("hex")}`;
  versions.set(skills, version);
  return version;
}

/** The difference between two snapshots, by qualified name. */
export interface SnapshotDiff {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** SKILL.md, the state, the reason or the place differs. */
  readonly changed: readonly string[];
}

/** Compares two snapshots; three empty lists mean that nothing changed. */
export async function diffSnapshots(before: Snapshot, after: Snapshot): Promise<SnapshotDiff> {
  const old = new Map(before.skills.map((skill) => [skill.qualifiedName, skill]));
  const added: string[] = [];
  const changed: string[] = [];
  const pause = createPause();
  for (const skill of after.skills) {
    const previous = old.get(skill.qualifiedName);
    if (previous === undefined) added.push(skill.qualifiedName);
    else if (isDifferent(previous, skill)) changed.push(skill.qualifiedName);
    old.delete(skill.qualifiedName);
    await pause();
  }
  return { added, removed: [...old.keys()], changed };
}

export function isEmptyDiff({ added, removed, changed }: SnapshotDiff): boolean {
  return added.length === 0 && removed.length === 0 && changed.length === 0;
}

function isDifferent(before: Skill, after: Skill): boolean {
  return (
    before.digest !== after.digest ||
    before.settingsDigest !== after.settingsDigest ||
    before.state !== after.state ||
    before.reason !== after.reason ||
    before.path !== after.path
  );
}
