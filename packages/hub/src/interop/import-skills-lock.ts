import { isIP } from "node:net";
import { join, resolve } from "node:path";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { canonicalPath } from "@skillet/kit/files";
import { parseStrictJson } from "@skillet/kit/json";
import { isPublicAddress } from "@skillet/kit/network";
import { compareByteOrder } from "@skillet/kit/order";
import { filledText, lenient, matching, object, oneOf, readDocument } from "@skillet/kit/schema";
import { quoteName } from "@skillet/kit/text";
import { contains } from "../place/locate-target.ts";
import { checkEntryPath } from "../sources/entry-path.ts";
import { parseSource } from "../sources/parse-source.ts";
import { type Source, showSource } from "../sources/source.ts";
import { skillsLockSchema } from "./format-skills-lock.ts";

export interface ImportedSkill {
  readonly name: string;
  readonly source: Source;
  /** What `skillsHash` of its files was; absent where that lock holds no hash of that kind. */
  readonly computedHash?: string;
  readonly pinned: boolean;
}

export interface ImportedLock {
  readonly skills: readonly ImportedSkill[];
  /** Names of entries that are not imported, each with why. */
  readonly skipped: ReadonlyMap<string, Diagnostic>;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * A lock comes with a repository, so its sources stay inside that folder or on public servers, unless the folder is the
 * user's own `.agents`, which no repository brings.
 */
export interface ImportOptions {
  readonly file: string;
  readonly root: string;
  readonly userHome: string;
}

/** Reads the locks of the `skills` and `gh skill` commands: `skills-lock.json` and `.skill-lock.json`. */
export function importSkillsLock(text: string, options: ImportOptions): ImportedLock {
  const { file } = options;
  const parsed = parseStrictJson(text);
  if ("fault" in parsed)
    return nothing(unusable(file, `${parsed.fault.problem} (line ${parsed.fault.range.line})`));
  const { value, faults } = readDocument(skillsLockSchema([1, 3]), parsed.root, { name: "the file" });
  if (value === undefined) return nothing(unusable(file, faults[0]?.message ?? "it is not a lock"));
  const skills: ImportedSkill[] = [];
  const skipped = new Map<string, Diagnostic>();
  for (const [name, entry] of Object.entries(value.skills).sort(([left], [right]) =>
    compareByteOrder(left, right),
  )) {
    const result = readEntry(name, entry, options);
    if (typeof result === "string") skipped.set(name, leftOut(file, name, result));
    else skills.push(result);
  }
  return { skills, skipped, diagnostics: [] };
}

function nothing(problem: Diagnostic): ImportedLock {
  return { skills: [], skipped: new Map(), diagnostics: [problem] };
}

type SourceType = "github" | "gitlab" | "git" | "local" | "well-known" | "node_modules";

type Detail = "sourceUrl" | "sourceBaseUrl" | "ref" | "pinnedRef" | "skillPath" | "version" | "computedHash";

interface SkillsLockEntry extends Readonly<Partial<Record<Detail, string>>> {
  readonly source: string;
  readonly sourceType: SourceType;
}

const entrySchema = object<SkillsLockEntry>({
  source: filledText,
  sourceType: oneOf(["github", "gitlab", "git", "local", "well-known", "node_modules"]),
  sourceUrl: lenient(filledText),
  sourceBaseUrl: lenient(filledText),
  ref: lenient(filledText),
  pinnedRef: lenient(filledText),
  skillPath: lenient(filledText),
  version: lenient(filledText),
  computedHash: lenient(matching(/^[0-9a-f]{64}$/, "64 hexadecimal digits")),
});

function readEntry(name: string, value: unknown, options: ImportOptions): ImportedSkill | string {
  const unfit = name.includes("/") ? "has a slash" : checkEntryPath(name);
  if (unfit !== undefined) return `its name cannot be a folder: it ${unfit}.`;
  const { value: entry, faults } = readDocument(entrySchema, value, { name: "it" });
  if (entry === undefined) return `${faults[0]?.message}.`;
  const source = sourceOf(name, entry, options);
  if (typeof source === "string") return source;
  try {
    // Through the one grammar, so that what it refuses on a command line is refused here too.
    const checked = parseSource(showSource(source), { workspace: options.root, userHome: options.userHome });
    const refusal = refusalOf(checked, options);
    if (refusal !== undefined) return refusal;
    const { computedHash, pinnedRef } = entry;
    return {
      name,
      source: checked,
      ...(computedHash !== undefined && { computedHash }),
      pinned: pinnedRef !== undefined,
    };
  } catch (error) {
    if (SkilletError.isInstance(error)) return error.message;
    throw error;
  }
}

function sourceOf(name: string, entry: SkillsLockEntry, options: ImportOptions): Source | string {
  const { source, sourceType, sourceUrl, version } = entry;
  switch (sourceType) {
    case "github":
    case "gitlab":
      if (sourceType === "gitlab" && source.includes("://")) return gitSource(source, name, entry);
      return isRepository(source)
        ? gitSource(`https://${sourceType}.com/${source}`, name, entry)
        : "it does not name a repository";
    case "git":
      return gitSource(sourceUrl ?? source, name, entry);
    case "local":
      return { kind: "local", path: resolve(options.root, source), pick: name };
    case "well-known": {
      const base = entry.sourceBaseUrl ?? (source.includes("://") ? source : `https://${source}`);
      return { kind: "well-known", base, pick: name };
    }
    case "node_modules":
      return { kind: "npm", name: source, ...(version !== undefined && { version }), pick: name };
  }
}

// Checked before it is part of a URL, which would take `..` for a step up.
function isRepository(text: string): boolean {
  const parts = text.split("/");
  return parts.length >= 2 && parts.every((part) => /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(part));
}

function gitSource(url: string, name: string, entry: SkillsLockEntry): Source {
  const ref = entry.pinnedRef ?? entry.ref;
  const folder = entry.skillPath?.replace(/\/?SKILL\.md$/i, "");
  const place = folder === undefined ? { pick: name } : folder === "" ? {} : { folder };
  return { kind: "git", url: url.replace(/\.git$/, ""), ...(ref !== undefined && { ref }), ...place };
}

function refusalOf(source: Source, { root, userHome }: ImportOptions): string | undefined {
  if (canonicalPath(root) === canonicalPath(join(userHome, ".agents"))) return undefined;
  switch (source.kind) {
    case "local":
      return outsideOf(root, source.path);
    case "git": {
      // Not with escapes, in which git reads what no one else does.
      const path = /^file:\/\/(\/[^%?#]*)$/.exec(source.url)?.[1];
      return path === undefined ? privateHostOf(source.url) : outsideOf(root, path);
    }
    case "well-known":
      return privateHostOf(source.base);
    case "npm":
      return undefined;
    default:
      return `it became a source of the kind ${source.kind}, which such a lock does not have.`;
  }
}

function outsideOf(root: string, path: string): string | undefined {
  return contains(canonicalPath(root), canonicalPath(path))
    ? undefined
    : `it names a folder outside ${root}.`;
}

// By the text alone; what a name leads to is looked at when something is fetched.
function privateHostOf(url: string): string | undefined {
  const scp = /^[^/:@]+@([^/:]+):/.exec(url)?.[1];
  const remote = /^(?:https?|ssh):\/\/(?:[^/@]*@)?([^/]+)/.exec(url)?.[1];
  const authority = scp ?? remote;
  // Only of http does a URL give numbers in their usual form: `ssh://0x7f.1` is this machine as well.
  if (authority === undefined || !URL.canParse(`http://${authority}/`))
    return "it names a repository on this machine.";
  const host = new URL(`http://${authority}/`).hostname.replace(/^\[|\]$|\.$/g, "");
  const isPrivate = isIP(host) === 0 ? /(?:^|\.)localhost$/.test(host) : !isPublicAddress(host);
  return isPrivate ? `it names a server on this machine or its network, ${quoteName(host)}.` : undefined;
}

function unusable(file: string, problem: string): Diagnostic {
  return {
    code: "skills-lock-invalid",
    severity: "error",
    message: `${file} was not imported: ${problem}.`,
    file,
    hint: "correct it, or write it again with the tool that it belongs to",
  };
}

function leftOut(file: string, name: string, problem: string): Diagnostic {
  return {
    code: "skills-lock-entry-skipped",
    severity: "warning",
    message: `The entry ${quoteName(name)} of ${file} was not imported: ${problem}`,
    file,
    hint: "install it by hand, naming its source",
  };
}
