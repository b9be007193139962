import { createHash } from "node:crypto";
import type { TreeFile } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import { isJsonObject, parseStrictJson } from "@skillet/kit/json";
import { object, oneOf, readDocument, record, type Schema } from "@skillet/kit/schema";
import { renderJson } from "../lock/format-lock.ts";
import type { Lock, LockEntry } from "../lock/lock-entry.ts";

export interface SkillsLockOptions {
  /** The `skillsHash` of each skill's files, by name; a skill without one is left as the other tool has it. */
  readonly hashes: ReadonlyMap<string, string>;
  /** The file as it is now; whatever is not about our skills stays. */
  readonly existing?: string;
  readonly removed?: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * A `skills-lock.json` that the `skills` command reads, for a project whose people use either; entries of other skills,
 * and keys that we do not know, stay as they are.
 */
export function formatSkillsLock(lock: Lock, options: SkillsLockOptions): string {
  const document = readSkillsLock(options.existing);
  const skills = new Map<string, unknown>(Object.entries(document.skills));
  for (const name of options.removed ?? []) skills.delete(name);
  for (const [name, entry] of lock.skills) {
    const fields = skillsLockFields(entry, options.hashes.get(name));
    const known = skills.get(name);
    if (fields !== undefined) skills.set(name, merge(isJsonObject(known) ? known : {}, fields));
  }
  const sorted: Record<string, unknown> = Object.create(null);
  for (const name of [...skills.keys()].sort()) sorted[name] = skills.get(name);
  const all = Object.assign(Object.create(null), { version: 1 }, document.rest, { skills: sorted });
  return `${renderJson(all, "", "as-given")}\n`;
}

function readSkillsLock(text: string | undefined): { readonly skills: Fields; readonly rest: Fields } {
  if (text === undefined || text.trim() === "") return { skills: {}, rest: {} };
  const parsed = parseStrictJson(text);
  if ("fault" in parsed) throw invalid(`${parsed.fault.problem} in line ${parsed.fault.range.line}`);
  const { value, faults } = readDocument(skillsLockSchema([1]), parsed.root, { name: "the file" });
  if (value === undefined) throw invalid(faults[0]?.message ?? "it is not a lock");
  const { skills, ...rest } = value;
  return { skills, rest };
}

export function skillsLockSchema(
  versions: readonly number[],
): Schema<{ readonly version: number; readonly skills: Fields }> {
  return object({ version: oneOf(versions), skills: record((entry) => entry) });
}

function merge(known: Fields, fields: Fields): Fields {
  const merged: Record<string, unknown> = Object.assign(Object.create(null), known);
  for (const key of OURS) delete merged[key];
  return Object.assign(merged, fields);
}

const OURS: readonly string[] =
  "source sourceUrl ref sourceType skillPath computedHash version wellKnownDigest".split(" ");

/** Undefined for what that lock has no form for: plugins, downloads, OCI, links, and skills under another name. */
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
      const ref = resolved.ref?.replace(/^refs\/(?:heads|tags)\//, "") ?? resolved.commit;
      const [, host, path] =
        /^https:\/\/(github|gitlab)\.com\/([^/]+\/[^/]+?)(?:\.git)?$/.exec(resolved.url) ?? [];
      if (host !== undefined && path !== undefined) return { source: path, ref, sourceType: host };
      return { source: resolved.url, sourceUrl: resolved.url, ref, sourceType: "git" };
    }
    case "local":
      return { source: resolved.path, sourceType: "local" };
    case "well-known": {
      const { index, digest } = resolved;
      const source = new URL(index).host;
      return {
        source,
        sourceUrl: index,
        sourceType: "well-known",
        ...(digest && { wellKnownDigest: digest }),
      };
    }
    case "npm":
      return { source: resolved.name, sourceType: "node_modules", version: resolved.version };
    default:
      return undefined;
  }
}

function invalid(problem: string): SkilletError {
  const message = `skills-lock.json was left alone: ${problem}. Correct it, or delete it to have it written anew.`;
  return new SkilletError("skills-lock-invalid", message, { data: { problem } });
}

/**
 * It is not a digest to rely on: nothing stands between path and bytes, so different trees can share one, and the order
 * follows a locale.
 */
export function skillsHash(files: readonly TreeFile[]): string {
  const counted = files
    .filter(
      ({ path }) =>
        !path
          .split("/")
          .slice(0, -1)
          .some((part) => part === ".git" || part === "node_modules"),
    )
    .sort((left, right) => left.path.localeCompare(right.path));
  const sum = createHash("sha256");
  for (const { path, bytes } of counted) sum.update(path).update(bytes);
  return sum.digest("hex");
}

export interface FollowedChange {
  readonly lock: Lock;
  readonly before: ReadonlyMap<string, LockEntry>;
  readonly hashes: ReadonlyMap<string, string>;
}

/**
 * A `skills-lock.json` after a change of our lock; the same text where the change is none of its business.
 *
 * Whoever asked for that file once wants it to stay true, and nothing but the file says so. An entry is followed if it
 * names the skill and the source that our lock had for it; whatever another tool put there from elsewhere is not ours.
 */
export function followSkillsLock(existing: string, { lock, before, hashes }: FollowedChange): string {
  const { skills } = readSkillsLock(existing);
  const ours = [...before]
    .filter(([name, entry]) => Object.hasOwn(skills, name) && isSame(skills[name], entry))
    .map(([name]) => name);
  if (ours.length === 0) return existing;
  const followed = new Map(
    [...lock.skills].filter(([name, entry]) => ours.includes(name) || isBrought(entry, ours)),
  );
  const isKept = (name: string): boolean => {
    const entry = followed.get(name);
    return entry !== undefined && skillsLockFields(entry, "") !== undefined;
  };
  const removed = ours.filter((name) => !isKept(name));
  return formatSkillsLock({ skills: followed }, { hashes, existing, removed });
}

function isSame(known: unknown, entry: LockEntry): boolean {
  const fields = skillsLockFields(entry, "");
  if (!isJsonObject(known) || fields === undefined) return false;
  return known.source === fields.source && known.sourceType === fields.sourceType;
}

// What an update brought along belongs to what it was brought by.
function isBrought({ requiredBy = [] }: LockEntry, ours: readonly string[]): boolean {
  return requiredBy.some((name) => ours.includes(name));
}
