import { asObject, parseJsonObject } from "@skillet/kit/json";
import type { OpenedSource, SourceEntry } from "../sources/fetch-context.ts";
import { AGENTS } from "../target/targets.ts";

export interface SkillFolder {
  readonly folder: string;
  readonly file: string;
  /** Of two skills with one name, the one of lower rank counts. */
  readonly rank: number;
}

/**
 * Every folder with a SKILL.md below one: the root, then `skills`, its hidden collections, agents' folders, and the rest;
 * in each of these shallow ones first, then in byte order.
 *
 * Copies that a build, a package manager or a version control keeps are not offered; `dist/skills` is where packages
 * ship theirs.
 */
export function skillFolders(entries: readonly SourceEntry[], below: string): readonly SkillFolder[] {
  const prefix = below === "" ? "" : `${below}/`;
  const found = new Map<string, SkillFolder>();
  for (const { path, mode } of entries) {
    if (!path.startsWith(prefix) || mode === "160000") continue;
    const slash = path.lastIndexOf("/");
    if (!SKILL_FILES.has(path.slice(slash + 1))) continue;
    const folder = slash < 0 ? "" : path.slice(0, slash);
    if (folder.length < below.length || isSkipped(folder.slice(prefix.length))) continue;
    // Entries come in byte order, so the standard spelling is met first.
    if (!found.has(folder))
      found.set(folder, { folder, file: path, rank: rankOf(folder.slice(prefix.length)) });
  }
  return [...found.values()].sort(
    (left, right) => left.rank - right.rank || depth(left.folder) - depth(right.folder),
  );
}

function isAgentFolder(folder: string): boolean {
  return AGENT_FOLDERS.some((own) => folder.startsWith(`${own}/`));
}

const SKILL_FILES: ReadonlySet<string> = new Set(["SKILL.md", "skill.md"]);
const SKIPPED: ReadonlySet<string> = new Set([".git", "node_modules", "dist", "build", "__pycache__"]);
const COLLECTIONS = /^skills\/\.(?:curated|experimental|system)\//;
// `skills` is one agent's folder as well as everyone's.
const AGENT_FOLDERS: readonly string[] = [
  ...new Set(AGENTS.map(({ project }) => project).filter((project) => project !== undefined)),
].filter((project) => project !== "skills");

function isSkipped(folder: string): boolean {
  const parts = folder.split("/");
  return parts.some(
    (part, index) => SKIPPED.has(part) && !(part === "dist" && parts[index + 1] === "skills"),
  );
}

function rankOf(folder: string): number {
  if (folder === "") return 0;
  if (/^skills\/[^./][^/]*$/.test(folder)) return 1;
  if (COLLECTIONS.test(folder)) return 2;
  return isAgentFolder(folder) ? 3 : 4;
}

function depth(folder: string): number {
  return folder === "" ? 0 : folder.split("/").length;
}

const LOCKS: readonly string[] = ["skills-lock.json", "skillet.lock"];

/** Leaves out skills that a source only uses itself: those in agents' folders that its own lock says came from elsewhere. */
export async function withoutOwnDependencies(
  opened: OpenedSource,
  folders: readonly SkillFolder[],
  below: string,
  signal: AbortSignal | undefined,
): Promise<readonly SkillFolder[]> {
  const prefix = below === "" ? "" : `${below}/`;
  if (!folders.some(({ folder }) => isAgentFolder(folder.slice(prefix.length)))) return folders;
  const wanted = new Set(LOCKS.map((name) => `${prefix}${name}`));
  const present = opened.entries.filter(
    ({ path, mode }) => wanted.has(path) && (mode === "644" || mode === "755"),
  );
  if (present.length === 0) return folders;
  const files = await opened.read(
    present.map(({ path }) => path),
    { signal },
  );
  const names = new Set(
    files.flatMap(({ bytes }) => Object.keys(asObject(parseJsonObject(bytes)?.skills) ?? {})),
  );
  return folders.filter(({ folder }) => {
    const path = folder.slice(prefix.length);
    return !(isAgentFolder(path) && names.has(path.slice(path.lastIndexOf("/") + 1)));
  });
}
