import { isIP } from "node:net";
import { join, resolve } from "node:path";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { canonicalPath } from "@skillet/kit/files";
import { isJsonObject, parseStrictJson, textOf } from "@skillet/kit/json";
import { isPublicAddress } from "@skillet/kit/network";
import { compareByteOrder } from "@skillet/kit/order";
import { quoteName } from "@skillet/kit/text";
import { checkEntryPath } from "../fetch/check-entry-path.ts";
import { contains } from "../place/locate-target.ts";
import { parseSource } from "../source/parse-source.ts";
import { showSource } from "../source/show-source.ts";
import type { Source } from "../source/source.ts";

/** A skill that another tool's lock lists, and where to install it from. */
export interface ImportedSkill {
  readonly name: string;
  /** With the ref that the other lock pins, where it does. */
  readonly source: Source;
  /** What `skillsHash` of its files was; absent where that lock holds no hash of that kind. */
  readonly computedHash?: string;
  /** Somebody asked for it to stay at its ref. */
  readonly pinned: boolean;
}

/** What another tool's lock came to. */
export interface ImportedLock {
  /** In byte order of name. */
  readonly skills: readonly ImportedSkill[];
  /** Names of entries that are not taken over, each with why. */
  readonly skipped: ReadonlyMap<string, Diagnostic>;
  /** What is wrong with the file as a whole; nothing of it is taken over then. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * What relative sources are relative to, and what the file is called in diagnostics.
 *
 * A lock comes with a repository, so its sources stay inside that folder or on public servers, unless the folder is the
 * user's own `.agents`, which no repository brings.
 */
export interface ImportOptions {
  readonly file: string;
  readonly root: string;
  readonly userHome: string;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads `skills-lock.json` version 1 or `.skill-lock.json` version 3, as the `skills` and `gh skill` commands write them.
 *
 * @example
 * const { skills } = importSkillsLock(text, { file: "skills-lock.json", root, userHome });
 */
export function importSkillsLock(text: string, options: ImportOptions): ImportedLock {
  const { file } = options;
  const parsed = parseStrictJson(text);
  if ("fault" in parsed)
    return nothing(unusable(file, `${parsed.fault.problem} (line ${parsed.fault.range.line})`));
  const { root: value } = parsed;
  if (!isJsonObject(value) || !isJsonObject(value.skills))
    return nothing(unusable(file, 'it has no object "skills"'));
  if (value.version !== 1 && value.version !== 3)
    return nothing(unusable(file, "its version is neither 1 nor 3"));
  const skills: ImportedSkill[] = [];
  const skipped = new Map<string, Diagnostic>();
  for (const [name, entry] of Object.entries(value.skills).sort(([left], [right]) =>
    compareByteOrder(left, right),
  )) {
    const result = isJsonObject(entry) ? readEntry(name, entry, options) : "is no object";
    if (typeof result === "string") skipped.set(name, leftOut(file, name, result));
    else skills.push(result);
  }
  return { skills, skipped, diagnostics: [] };
}

function nothing(problem: Diagnostic): ImportedLock {
  return { skills: [], skipped: new Map(), diagnostics: [problem] };
}

function readEntry(name: string, entry: Fields, options: ImportOptions): ImportedSkill | string {
  const unfit = name.includes("/") ? "has a slash" : checkEntryPath(name);
  if (unfit !== undefined) return `has a name that can be no folder: it ${unfit}.`;
  const source = sourceOf(name, entry, options);
  if (typeof source === "string") return source;
  const { computedHash, pinnedRef } = entry;
  try {
    // Through the one grammar, so that what it refuses in a person's words is refused here too.
    const checked = parseSource(showSource(source), { workspace: options.root, userHome: options.userHome });
    const refusal = refusalOf(checked, options);
    if (refusal !== undefined) return refusal;
    return {
      name,
      source: checked,
      ...(typeof computedHash === "string" && /^[0-9a-f]{64}$/.test(computedHash) && { computedHash }),
      pinned: typeof pinnedRef === "string" && pinnedRef !== "",
    };
  } catch (error) {
    if (SkilletError.isInstance(error)) return error.message;
    throw error;
  }
}

function sourceOf(name: string, entry: Fields, options: ImportOptions): Source | string {
  const source = textOf(entry, "source");
  if (source === undefined) return 'has no "source"';
  switch (entry.sourceType) {
    case "github":
      return isRepository(source)
        ? gitSource(`https://github.com/${source}`, name, entry)
        : "names no repository";
    case "gitlab":
      if (source.includes("://")) return gitSource(source, name, entry);
      return isRepository(source)
        ? gitSource(`https://gitlab.com/${source}`, name, entry)
        : "names no repository";
    case "git":
      return gitSource(textOf(entry, "sourceUrl") ?? source, name, entry);
    case "local":
      return { kind: "local", path: resolve(options.root, source), pick: name };
    case "well-known":
      return wellKnown(source, name, entry);
    case "node_modules":
      return npmSource(source, name, entry);
    default:
      return `has the source type ${JSON.stringify(entry.sourceType)}, which is not known`;
  }
}

// Checked before it is part of a URL, which would take `..` for a step up.
function isRepository(text: string): boolean {
  const parts = text.split("/");
  return parts.length >= 2 && parts.every((part) => /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(part));
}

function gitSource(url: string, name: string, entry: Fields): Source | string {
  const ref = textOf(entry, "pinnedRef") ?? textOf(entry, "ref");
  const skillPath = textOf(entry, "skillPath");
  const folder = skillPath?.replace(/\/?SKILL\.md$/i, "");
  const place = folder === undefined ? { pick: name } : folder === "" ? {} : { folder };
  return { kind: "git", url: url.replace(/\.git$/, ""), ...(ref && { ref }), ...place };
}

function wellKnown(source: string, name: string, entry: Fields): Source {
  const base = textOf(entry, "sourceBaseUrl") ?? (source.includes("://") ? source : `https://${source}`);
  return { kind: "well-known", base, pick: name };
}

function npmSource(source: string, name: string, entry: Fields): Source {
  const version = textOf(entry, "version");
  return { kind: "npm", name: source, ...(version && { version }), pick: name };
}

function refusalOf(source: Source, { root, userHome }: ImportOptions): string | undefined {
  if (canonicalPath(root) === canonicalPath(join(userHome, ".agents"))) return undefined;
  switch (source.kind) {
    case "local":
      return outsideOf(root, source.path);
    case "git": {
      // Not with escapes, in which git reads what nobody else does.
      const path = /^file:\/\/(\/[^%?#]*)$/.exec(source.url)?.[1];
      return path === undefined ? privateHostOf(source.url) : outsideOf(root, path);
    }
    case "well-known":
      return privateHostOf(source.base);
    case "npm":
      return undefined;
    default:
      return `became a source of the kind ${source.kind}, which such a lock does not have.`;
  }
}

function outsideOf(root: string, path: string): string | undefined {
  return contains(canonicalPath(root), canonicalPath(path)) ? undefined : `names a folder outside ${root}.`;
}

// By the text alone; what a name leads to is looked at when something is fetched.
function privateHostOf(url: string): string | undefined {
  const scp = /^[^/:@]+@([^/:]+):/.exec(url)?.[1];
  const remote = /^(?:https?|ssh):\/\/(?:[^/@]*@)?([^/]+)/.exec(url)?.[1];
  const authority = scp ?? remote;
  // Only of http does a URL give numbers in their usual form: `ssh://0x7f.1` is this machine as well.
  if (authority === undefined || !URL.canParse(`http://${authority}/`))
    return "names a repository of this machine.";
  const host = new URL(`http://${authority}/`).hostname.replace(/^\[|\]$|\.$/g, "");
  const isPrivate = isIP(host) === 0 ? /(?:^|\.)localhost$/.test(host) : !isPublicAddress(host);
  return isPrivate ? `names a server of this machine or its network, ${quoteName(host)}.` : undefined;
}

function unusable(file: string, problem: string): Diagnostic {
  return {
    code: "skills-lock-invalid",
    severity: "error",
    message: `${file} was not taken over: ${problem}.`,
    file,
    hint: "correct it, or write it anew with the tool that it belongs to",
  };
}

function leftOut(file: string, name: string, problem: string): Diagnostic {
  return {
    code: "skills-lock-entry-skipped",
    severity: "warning",
    message: `The entry ${quoteName(name)} of ${file} was not taken over: ${problem}`,
    file,
    hint: "install it by hand, naming its source",
  };
}
