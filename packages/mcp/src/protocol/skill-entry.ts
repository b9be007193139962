import type { Digest } from "@skillet/kit/digest";
import { isJsonObject, isTooDeep, type JsonObject, MAX_JSON_DEPTH } from "@skillet/kit/json";

/** A file of a skill as the extension lists it. */
export interface EntryResource {
  readonly uri: string;
  readonly digest: Digest;
  /** Absent in lists of the older form. */
  readonly size?: number;
}

/** A skill as the extension lists it; the URI is that of its SKILL.md. */
export interface SkillEntry {
  readonly uri: string;
  readonly frontmatter: JsonObject & { readonly name: string; readonly description: string };
  /** Every file, including SKILL.md; `dynamic` if the server does not list them. */
  readonly resources: readonly EntryResource[] | "dynamic";
}

/** Every host must accept a skill of this size; a larger one may be declined. */
export const ENTRY_LIMITS: { readonly files: number; readonly bytes: number } = {
  files: 512,
  bytes: 16 * 1024 * 1024,
};

const NAME_RULE: RegExp = /^(?!.*--)[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;
const DIGEST_RULE: RegExp = /^sha256:[0-9a-f]{64}$/;
const MAX_DESCRIPTION_CHARACTERS = 1024;
const MANIFEST = "/SKILL.md";

/** The folder of a skill, from the URI of its SKILL.md; undefined for any other URI. */
export function rootOf(uri: string): string | undefined {
  return uri.endsWith(MANIFEST) && uri.length > MANIFEST.length ? uri.slice(0, -MANIFEST.length) : undefined;
}

/** The URI of a folder or file of a skill; each path segment has only one spelling. */
export function uriOf(...segments: readonly string[]): string {
  return `skill://${segments.map(encodeURIComponent).join("/")}`;
}

/**
 * The decoded segments of a `skill:` URI. Undefined if one of them would lead to another file than it says: a
 * `..`, an encoded slash, a query.
 */
export function segmentsOf(uri: string): readonly string[] | undefined {
  const path = /^skill:\/\/([^?#]+?)\/?$/.exec(uri)?.[1];
  return path === undefined ? undefined : decodeSegments(path);
}

function decodeSegments(path: string): readonly string[] | undefined {
  const segments = path.split("/").map(decode);
  const isPlain = (part: string | undefined): part is string =>
    part !== undefined && !/^\.{0,2}$|[/\\\p{Cc}]/u.test(part);
  return segments.every(isPlain) ? segments : undefined;
}

function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/** A problem of an entry, and the kit's check that it breaks; only entries without problems may be used. */
export interface EntryProblem {
  readonly check: string;
  readonly message: string;
}

export function checkEntry(
  value: unknown,
  { isOlder = false }: { readonly isOlder?: boolean | undefined } = {},
): { readonly entry?: SkillEntry; readonly problems: readonly EntryProblem[] } {
  const problems: EntryProblem[] = [];
  const fault = (check: string, message: string): void => void problems.push({ check, message });
  const { uri, frontmatter, resources } = isJsonObject(value) ? value : {};
  if (isTooDeep(value)) fault("entry-frontmatter-required", `it is nested more than ${MAX_JSON_DEPTH} deep`);
  const root = typeof uri === "string" ? rootOf(uri) : undefined;
  if (typeof uri !== "string" || root === undefined)
    fault("entry-uri-required", "`uri` is not that of a SKILL.md");
  const { name, description } = isJsonObject(frontmatter) ? frontmatter : {};
  if (typeof name !== "string" || typeof description !== "string" || name === "" || description === "")
    fault("entry-frontmatter-required", "`frontmatter` lacks a name or a description");
  else {
    if (!NAME_RULE.test(name)) fault("name-naming-rules", "the name breaks the rules of Agent Skills");
    if (description.length > MAX_DESCRIPTION_CHARACTERS)
      fault(
        "entry-frontmatter-required",
        `the description has more than ${MAX_DESCRIPTION_CHARACTERS} characters`,
      );
    if (root !== undefined && root.slice(root.lastIndexOf("/") + 1) !== name)
      fault("entry-uri-matches-frontmatter-name", `the folder of the URI is not called ${name}`);
  }
  if (Array.isArray(resources)) problems.push(...checkResources(resources, { uri, root, isOlder }));
  else if (resources !== "dynamic")
    fault("entry-resources-required", '`resources` is neither a list nor "dynamic"');
  return { ...(problems.length === 0 && { entry: value as SkillEntry }), problems };
}

function checkResources(
  resources: readonly unknown[],
  {
    uri,
    root,
    isOlder,
  }: { readonly uri: unknown; readonly root: string | undefined; readonly isOlder: boolean },
): readonly EntryProblem[] {
  const problems = new Map<string, string>();
  const seen = new Set<unknown>();
  let total = 0;
  for (const resource of resources.slice(0, ENTRY_LIMITS.files + 1)) {
    const { uri: file, digest, size } = isJsonObject(resource) ? resource : {};
    if (typeof file !== "string" || root === undefined || pathOf(root, file) === undefined)
      problems.set("resources-uri-within-skill", "a file lies outside the skill");
    if (seen.has(file)) problems.set("resources-complete", "a file is listed twice");
    if (typeof digest !== "string" || !DIGEST_RULE.test(digest))
      problems.set("resources-digest-format", "a digest is not sha256: and 64 hexadecimal digits");
    if (isOlder && size === undefined) total += 0;
    else if (typeof size !== "number" || !Number.isSafeInteger(size) || size < 0)
      problems.set("resources-size-required", "a size is not a number of bytes");
    else total += size;
    seen.add(file);
  }
  if (!seen.has(uri)) problems.set("resources-complete", "SKILL.md itself is not listed");
  if (resources.length > ENTRY_LIMITS.files)
    problems.set("limit-resources-per-skill", `more than ${ENTRY_LIMITS.files} files`);
  if (total > ENTRY_LIMITS.bytes)
    problems.set("limit-total-size", `more than ${ENTRY_LIMITS.bytes} bytes of files`);
  return [...problems].map(([check, message]) => ({ check, message }));
}

const MAX_URI_CHARACTERS = 4096;

/** The decoded path of a file within a skill; undefined if it is outside or has a segment that leads out. */
export function pathOf(root: string, uri: string): string | undefined {
  if (!uri.startsWith(`${root}/`) || uri.length > MAX_URI_CHARACTERS) return undefined;
  return /[?#]/.test(uri) ? undefined : decodeSegments(uri.slice(root.length + 1))?.join("/");
}
