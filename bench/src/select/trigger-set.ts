import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseSkill, type Skill } from "./product.ts";

/** A message, and whether it should call a skill. */
export interface Query {
  readonly text: string;
  readonly skill: string;
  readonly shouldTrigger: boolean;
  readonly language: string;
  readonly repository: string;
}

/** A skill of a set with the text below its header. */
export interface SetSkill {
  readonly skill: Skill;
  readonly body: string;
}

/** Messages, the skills they are about, and others among which these must be found. */
export interface TriggerSet {
  readonly queries: readonly Query[];
  /** The skills that messages are about first; their qualified names are those of their folders. */
  readonly skills: readonly SetSkill[];
  /** Files that are no skill. */
  readonly unread: number;
}

/** Reads a set; `distractorList` names files relative to `distractors`, which else is searched for them. */
export function readTriggerSet(places: {
  readonly queries: string;
  readonly skills: string;
  readonly distractors?: string;
  readonly distractorList?: string;
}): TriggerSet {
  const queries = readFileSync(places.queries, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map(parseQuery);
  const wanted = findSkillFiles(places.skills);
  const others = findDistractors(places);
  const skills: SetSkill[] = [];
  let unread = 0;
  for (const [index, path] of [...wanted, ...others].entries()) {
    const folder = dirname(path).split("/").at(-1) ?? "";
    const read = readSkill(path, { folder, qualifiedName: index < wanted.length ? folder : path });
    if (read === undefined) unread += 1;
    else skills.push(read);
  }
  return { queries, skills, unread };
}

function parseQuery(line: string): Query {
  const row = JSON.parse(line) as Record<string, unknown>;
  return {
    text: String(row.query),
    skill: String(row.skill),
    shouldTrigger: row.should_trigger === true,
    language: String(row.lang ?? "en"),
    repository: String(row.repo ?? row.skill),
  };
}

function findDistractors(places: {
  readonly distractors?: string;
  readonly distractorList?: string;
}): readonly string[] {
  const { distractors, distractorList } = places;
  if (distractors === undefined) return [];
  if (distractorList === undefined) return findSkillFiles(distractors);
  return readFileSync(distractorList, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => join(distractors, line.trim()));
}

export function findSkillFiles(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.toLowerCase() === "skill.md")
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

export function readSkill(
  path: string,
  { folder, qualifiedName }: { readonly folder: string; readonly qualifiedName: string },
): SetSkill | undefined {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  const { manifest, body } = parseSkill(readFileSync(path, "utf8"), { directoryName: folder, file: path });
  if (manifest === undefined) return undefined;
  const skill: Skill = {
    name: manifest.name || folder,
    qualifiedName,
    scope: "user",
    origin: "local",
    kind: "skill",
    path,
    directory: dirname(path),
    directoryName: folder,
    source: { id: "set", folder, file: "SKILL.md" },
    // Only keys of the index are made of it, and a path is as good for that.
    digest: `sha256:${qualifiedName}`,
    manifest,
    state: "enabled",
    missing: [],
    bodyCharacters: body.length,
    alsoAt: [],
    diagnostics: [],
  };
  return { skill, body };
}
