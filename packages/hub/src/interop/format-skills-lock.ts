import { createHash } from "node:crypto";
import type { TreeFile } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import { isJsonObject, parseStrictJson } from "@skillet/kit/json";
import { object, oneOf, readDocument, record } from "@skillet/kit/schema";
import { renderJson } from "../lock/format-lock.ts";
import type { Lock, LockEntry } from "../lock/lock-entry.ts";

export interface SkillsLockOptions {
  /** The `skillsHash` of each skill's files, by name; without one, the entry stays as the other tool wrote it. */
  readonly hashes: ReadonlyMap<string, string>;
  /** The current file; entries for skills that are not ours stay. */
  readonly existing?: string;
  readonly removed?: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Formats a `skills-lock.json` for the `skills` command, for projects whose users use either tool; entries of
 * other skills and unknown keys stay as they are.
 */
export function formatSkillsLock(lock: Lock, { hashes, existing, removed = [] }: SkillsLockOptions): string {
  const { skills: known, ...rest } = readExisting(existing);
  const skills = new Map<string, unknown>(Object.entries(known));
  for (const name of removed) skills.delete(name);
  for (const [name, entry] of lock.skills) {
    const fields = skillsLockFields(entry, hashes.get(name));
    if (fields !== undefined) skills.set(name, merge(skills.get(name), fields));
  }
  const sorted: Record<string, unknown> = Object.create(null);
  for (const name of [...skills.keys()].sort()) sorted[name] = skills.get(name);
  const all = Object.assign(Object.create(null), { version: 1 }, rest, { skills: sorted });
  return `${renderJson(all, "", "as-given")}\n`;
}

function readExisting(text: string | undefined): SkillsLock {
  if (text === undefined || text.trim() === "") return { version: 1, skills: {} };
  const read = readSkillsLock(text, [1]);
  if ("lock" in read) return read.lock;
  const { problem } = read;
  const message = `skills-lock.json was left alone: ${problem}. Correct it, or delete it to have it written anew.`;
  throw new SkilletError("skills-lock-invalid", message, { data: { problem } });
}

interface SkillsLock {
  readonly version: number;
  readonly skills: Fields;
}

/** Parses a `skills-lock.json`, including unknown keys. */
export function readSkillsLock(
  text: string,
  versions: readonly number[],
): { readonly lock: SkillsLock } | { readonly problem: string } {
  const parsed = parseStrictJson(text);
  if ("fault" in parsed) return { problem: `${parsed.fault.problem} in line ${parsed.fault.range.line}` };
  const schema = object<SkillsLock>({ version: oneOf(versions), skills: record((entry) => entry) });
  const { value, faults } = readDocument(schema, parsed.root, { name: "the file" });
  return value === undefined ? { problem: faults[0]?.message ?? "it is not a lock" } : { lock: value };
}

const OURS: readonly string[] =
  "source sourceUrl ref sourceType skillPath computedHash version wellKnownDigest".split(" ");

function merge(known: unknown, fields: Fields): Fields {
  const merged: Record<string, unknown> = Object.create(null);
  if (isJsonObject(known)) Object.assign(merged, known);
  for (const key of OURS) delete merged[key];
  return Object.assign(merged, fields);
}

/** Undefined for entries that such a lock cannot express: plugins, downloads, OCI, links, and renamed skills. */
function skillsLockFields(entry: LockEntry, computedHash: string | undefined): Fields | undefined {
  if (computedHash === undefined || entry.kind !== "skill") return undefined;
  if (entry.linked === true || entry.declaredName !== undefined) return undefined;
  const skillPath = entry.folder === "" ? "SKILL.md" : `${entry.folder}/SKILL.md`;
  const origin = originOf(entry);
  return origin === undefined ? undefined : { ...origin, skillPath, computedHash };
}

function originOf({ resolved }: LockEntry): Fields | undefined {
  switch (resolved.kind) {
    case "git": {
      const { url, commit } = resolved;
      const ref = resolved.ref?.replace(/^refs\/(?:heads|tags)\//, "") ?? commit;
      const [, host, path] = /^https:\/\/(github|gitlab)\.com\/([^/]+\/[^/]+?)(?:\.git)?$/.exec(url) ?? [];
      if (path !== undefined) return { source: path, ref, sourceType: host };
      return { source: url, sourceUrl: url, ref, sourceType: "git" };
    }
    case "local":
      return { source: resolved.path, sourceType: "local" };
    case "well-known": {
      const { index, digest } = resolved;
      const source = { source: new URL(index).host, sourceUrl: index, sourceType: "well-known" };
      return digest === undefined ? source : { ...source, wellKnownDigest: digest };
    }
    case "npm":
      return { source: resolved.name, sourceType: "node_modules", version: resolved.version };
    default:
      return undefined;
  }
}

/**
 * The hash that the `skills` command stores. It is not a digest to rely on: nothing separates path and bytes,
 * so different trees can share one, and the order depends on a locale.
 */
export function skillsHash(files: readonly TreeFile[]): string {
  const isIgnored = ({ path }: TreeFile): boolean => /(?:^|\/)(?:\.git|node_modules)\//.test(path);
  const counted = files.filter((file) => !isIgnored(file));
  const sum = createHash("sha256");
  for (const { path, bytes } of counted.sort((left, right) => left.path.localeCompare(right.path)))
    sum.update(path).update(bytes);
  return sum.digest("hex");
}

export interface FollowedChange {
  readonly lock: Lock;
  readonly before: ReadonlyMap<string, LockEntry>;
  readonly hashes: ReadonlyMap<string, string>;
}

/**
 * Updates a `skills-lock.json` after a change of our lock; returns the same text if the change does not concern it.
 *
 * A project that once asked for that file wants it to stay correct, and only the file itself shows that. An entry is
 * updated if it names the skill and the source that our lock had for it; entries that another tool added from elsewhere
 * are not ours.
 */
export function followSkillsLock(existing: string, { lock, before, hashes }: FollowedChange): string {
  const { skills } = readExisting(existing);
  const ours = [...before]
    .filter(([name, entry]) => Object.hasOwn(skills, name) && isSame(skills[name], entry))
    .map(([name]) => name);
  if (ours.length === 0) return existing;
  // A skill that was installed as a requirement belongs to the skill that needs it.
  const isBrought = ({ requiredBy = [] }: LockEntry): boolean =>
    requiredBy.some((name) => ours.includes(name));
  const followed = new Map(
    [...lock.skills].filter(([name, entry]) => ours.includes(name) || isBrought(entry)),
  );
  const removed = ours.filter((name) => {
    const entry = followed.get(name);
    return entry === undefined || skillsLockFields(entry, "") === undefined;
  });
  return formatSkillsLock({ skills: followed }, { hashes, existing, removed });
}

function isSame(known: unknown, entry: LockEntry): boolean {
  const fields = skillsLockFields(entry, "");
  if (!isJsonObject(known) || fields === undefined) return false;
  return known.source === fields.source && known.sourceType === fields.sourceType;
}
