import { isIP } from "node:net";
import { join, resolve } from "node:path";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { canonicalPath, isInside } from "@skillet/kit/files";
import { isPublicAddress, parseUrl } from "@skillet/kit/network";
import { compareByteOrder } from "@skillet/kit/order";
import { filledText, lenient, matching, object, oneOf, readDocument } from "@skillet/kit/schema";
import { quoteName, shellArgument } from "@skillet/kit/text";
import { checkEntryPath } from "../sources/entry-path.ts";
import { isAllowedHost } from "../sources/http/address.ts";
import { parseSource } from "../sources/parse-source.ts";
import { type Source, showSource } from "../sources/source.ts";
import { readSkillsLock } from "./format-skills-lock.ts";

export interface ImportedSkill {
  readonly name: string;
  readonly source: Source;
  /** The `skillsHash` of its files; absent if the lock contains no hash of that kind. */
  readonly computedHash?: string;
  readonly pinned: boolean;
}

export interface ImportedLock {
  readonly skills: readonly ImportedSkill[];
  /** The reason for each entry that is not imported, by name. */
  readonly skipped: ReadonlyMap<string, Diagnostic>;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * A lock comes with a repository, so its sources must be inside that folder or on public servers, unless the
 * folder is the user's own `.agents`, which no repository brings.
 */
export interface ImportOptions {
  readonly file: string;
  readonly root: string;
  readonly userHome: string;
  /** Private hosts that the user allowed. Default: none. */
  readonly allowedPrivateHosts?: readonly string[];
}

/** Reads the locks of the `skills` and `gh skill` commands: `skills-lock.json` and `.skill-lock.json`. */
export function importSkillsLock(text: string, options: ImportOptions): ImportedLock {
  const { file } = options;
  const skills: ImportedSkill[] = [];
  const skipped = new Map<string, Diagnostic>();
  const read = readSkillsLock(text, [1, 3]);
  if ("problem" in read) {
    const message = `${file} was not imported: ${read.problem}.`;
    const hint = "correct it, or write it again with the tool that it belongs to";
    const diagnostic = { code: "skills-lock-invalid", severity: "error", message, file, hint } as const;
    return { skills, skipped, diagnostics: [diagnostic] };
  }
  const entries = Object.entries(read.lock.skills).sort(([left], [right]) => compareByteOrder(left, right));
  for (const [name, entry] of entries) {
    const result = readEntry(name, entry, options);
    if (typeof result !== "string") skills.push(result);
    else {
      const message = `The entry ${quoteName(name)} of ${file} was not imported: ${result}`;
      const hint = "install it by hand, naming its source";
      skipped.set(name, { code: "skills-lock-entry-skipped", severity: "warning", message, file, hint });
    }
  }
  return { skills, skipped, diagnostics: [] };
}

const SOURCE_TYPES = ["github", "gitlab", "git", "local", "well-known", "node_modules"] as const;

type Detail = "sourceUrl" | "sourceBaseUrl" | "ref" | "pinnedRef" | "skillPath" | "version" | "computedHash";

interface SkillsLockEntry extends Readonly<Partial<Record<Detail, string>>> {
  readonly source: string;
  readonly sourceType: (typeof SOURCE_TYPES)[number];
}

const entrySchema = object<SkillsLockEntry>({
  source: filledText,
  sourceType: oneOf(SOURCE_TYPES),
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
  const written = sourceOf(name, entry, options);
  if (typeof written === "string") return written;
  try {
    // Parsed like a command-line source, so that the same sources are refused here.
    const source = parseSource(showSource(written), { workspace: options.root, userHome: options.userHome });
    const refusal = refusalOf(source, options);
    if (refusal !== undefined) return refusal;
    const { computedHash, pinnedRef } = entry;
    return {
      name,
      source,
      ...(computedHash !== undefined && { computedHash }),
      pinned: pinnedRef !== undefined,
    };
  } catch (error) {
    if (SkilletError.isInstance(error)) return error.message;
    throw error;
  }
}

function sourceOf(name: string, entry: SkillsLockEntry, { root }: ImportOptions): Source | string {
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
      return { kind: "local", path: resolve(root, source), pick: name };
    case "well-known": {
      const base = entry.sourceBaseUrl ?? (source.includes("://") ? source : `https://${source}`);
      return { kind: "well-known", base, pick: name };
    }
    case "node_modules":
      return { kind: "npm", name: source, ...(version !== undefined && { version }), pick: name };
  }
}

// Checked before it becomes part of a URL, where `..` would be a step up.
function isRepository(text: string): boolean {
  const parts = text.split("/");
  return parts.length >= 2 && parts.every((part) => /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(part));
}

function gitSource(url: string, name: string, { ref, pinnedRef, skillPath }: SkillsLockEntry): Source {
  const wanted = pinnedRef ?? ref;
  const folder = skillPath?.replace(/\/?SKILL\.md$/i, "");
  const place = folder === undefined ? { pick: name } : folder === "" ? {} : { folder };
  return {
    kind: "git",
    url,
    ...(wanted !== undefined && { ref: wanted }),
    ...place,
  };
}

function refusalOf(source: Source, options: ImportOptions): string | undefined {
  const { root, userHome } = options;
  if (canonicalPath(root) === canonicalPath(join(userHome, ".agents"))) return undefined;
  switch (source.kind) {
    case "local":
      return outsideOf(root, source.path);
    case "git": {
      // Escapes are refused, because git decodes them differently from everything else.
      const path = /^file:\/\/(\/[^%?#]*)$/.exec(source.url)?.[1];
      return path === undefined ? privateHostOf(source.url, options) : outsideOf(root, path);
    }
    case "well-known":
      return privateHostOf(source.base, options);
    case "npm":
      return undefined;
    default:
      return `it became a source of the kind ${source.kind}, which such a lock does not have.`;
  }
}

function outsideOf(root: string, path: string): string | undefined {
  return isInside(canonicalPath(path), canonicalPath(root))
    ? undefined
    : `it names a folder outside ${root}.`;
}

// Checks the text only; the address that a name resolves to is checked on each fetch.
function privateHostOf(url: string, { allowedPrivateHosts = [] }: ImportOptions): string | undefined {
  const scp = /^[^/:@]+@([^/:]+):/.exec(url)?.[1];
  const authority = scp ?? /^(?:https?|ssh):\/\/(?:[^/@]*@)?([^/]+)/.exec(url)?.[1];
  // A URL normalises numeric hosts for http only, and `ssh://0x7f.1` is this machine as well.
  const server = authority === undefined ? undefined : parseUrl(`http://${authority}/`);
  if (server === undefined) return "it names a repository on this machine.";
  const host = server.hostname.replace(/^\[|\]$|\.$/g, "");
  const isPrivate = isIP(host) === 0 ? /(?:^|\.)localhost$/.test(host) : !isPublicAddress(host);
  if (!isPrivate || isAllowedHost(server, allowedPrivateHosts)) return undefined;
  return `it names a server on this machine or its network, ${quoteName(host)}. If you know that server, pass --private-host ${shellArgument(server.host)}.`;
}
