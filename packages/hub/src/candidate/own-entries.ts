import type { SourceEntry } from "../fetch/opened-source.ts";

/** The entries of one folder, with paths below it. */
export interface OwnEntries {
  readonly entries: readonly SourceEntry[];
  /** Folders of skills inside it, which are skills of their own. */
  readonly nested: readonly string[];
}

/**
 * What belongs to a skill: everything in its folder but `.git` and nested skills, as its digest counts it.
 *
 * Of a plugin, nested skills are what it is for.
 */
export function ownEntries(
  all: readonly SourceEntry[],
  { folder, kind }: { readonly folder: string; readonly kind: "skill" | "plugin" },
): OwnEntries {
  const prefix = folder === "" ? "" : `${folder}/`;
  const below = all
    .filter(({ path }) => path.startsWith(prefix) && !isHidden(path.slice(prefix.length)))
    .map((entry) => ({ ...entry, path: entry.path.slice(prefix.length) }));
  if (kind === "plugin") return { entries: below, nested: [] };
  const nested = below
    .filter(({ path }) => /\/(?:SKILL|skill)\.md$/.test(path))
    .map(({ path }) => path.slice(0, path.lastIndexOf("/")));
  const inner = new Set(nested);
  const entries = below.filter(({ path }) => !isInside(path, inner));
  return { entries, nested: [...inner] };
}

function isInside(path: string, folders: ReadonlySet<string>): boolean {
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1))
    if (folders.has(path.slice(0, end))) return true;
  return false;
}

function isHidden(path: string): boolean {
  return path === ".git" || path.startsWith(".git/") || path.includes("/.git/");
}
