import { SkilletError } from "@skillet/kit/errors";
import { isJsonObject, parseStrictJson } from "@skillet/kit/json";
import type { Lock, LockEntry } from "../lock/lock-entry.ts";
import { renderInOrder } from "../lock/render-json.ts";

/** What a `skills-lock.json` is made of. */
export interface SkillsLockOptions {
  /** The `skillsHash` of each skill's files, by name; a skill without one is left as the other tool has it. */
  readonly hashes: ReadonlyMap<string, string>;
  /** The file as it is now; whatever is not about our skills stays. */
  readonly existing?: string;
  /** Skills that were just removed from the lock, and so go from this one too. */
  readonly removed?: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * A `skills-lock.json` that the `skills` command reads, for a project whose people use either; entries of other skills,
 * and keys that we do not know, stay as they are.
 *
 * @example
 * await writeAtomic("skills-lock.json", formatSkillsLock(lock, { hashes, existing }));
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
  return `${renderInOrder(all)}\n`;
}

/** The entries of a `skills-lock.json`, and whatever else it holds; one that cannot be understood is an error. */
export function readSkillsLock(text: string | undefined): { readonly skills: Fields; readonly rest: Fields } {
  if (text === undefined || text.trim() === "") return { skills: {}, rest: {} };
  const parsed = parseStrictJson(text);
  if ("fault" in parsed) throw invalid(`${parsed.fault.problem} in line ${parsed.fault.range.line}`);
  const { root: value } = parsed;
  if (!isJsonObject(value) || !isJsonObject(value.skills)) throw invalid('it has no object "skills"');
  if (value.version !== 1) throw invalid("its version is not 1");
  const { skills, ...rest } = value;
  return { skills: skills as Fields, rest };
}

function merge(known: Fields, fields: Fields): Fields {
  const merged: Record<string, unknown> = Object.assign(Object.create(null), known);
  for (const key of OURS) delete merged[key];
  return Object.assign(merged, fields);
}

const OURS = [
  "source",
  "sourceUrl",
  "ref",
  "sourceType",
  "skillPath",
  "computedHash",
  "version",
  "wellKnownDigest",
];

/** Undefined for what that lock has no form for: plugins, downloads, OCI, links, and skills under another name. */
export function skillsLockFields(entry: LockEntry, computedHash: string | undefined): Fields | undefined {
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
