import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parseSkill, type Skill } from "./product.ts";

/** A message, and whether it should call a skill. */
export interface Query {
  readonly id: string;
  readonly text: string;
  readonly skill: string;
  readonly shouldTrigger: boolean;
  /** How the message is put, or its kind where that is not told. */
  readonly style: string;
  readonly repository: string;
}

/** A skill of a set with the text below its header. */
export interface SetSkill {
  readonly skill: Skill;
  readonly body: string;
}

/** Messages, the skills they are about, and others among which these must be found. */
export interface TriggerSet {
  readonly name: string;
  readonly queries: readonly Query[];
  /** The skills that messages are about first; their qualified names are those of their folders. */
  readonly skills: readonly SetSkill[];
}

/**
 * Reads a folder with `queries.jsonl` and `skills`; `distractorList` names files relative to `distractors`, of which those in
 * the folder's `targets.txt` are left out: they are its skills.
 */
export function readTriggerSet(
  folder: string,
  places: { readonly distractors?: string | undefined; readonly distractorList?: string | undefined } = {},
): TriggerSet {
  const queries = readLines(join(folder, "queries.jsonl")).map(parseQuery);
  const wanted = findSkillFiles(join(folder, "skills"));
  const skills = [...wanted, ...findDistractors(folder, places)].flatMap((path, index) => {
    const directory = basename(dirname(path));
    return (
      readSkill(path, { folder: directory, qualifiedName: index < wanted.length ? directory : path }) ?? []
    );
  });
  return { name: basename(folder), queries, skills };
}

function readLines(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "");
}

function parseQuery(line: string, index: number): Query {
  const row = JSON.parse(line) as Record<string, unknown>;
  return {
    id: String(row.id ?? index),
    text: String(row.query),
    skill: String(row.skill),
    shouldTrigger: row.should_trigger === true,
    style: String(row.style ?? row.kind ?? ""),
    repository: String(row.repo ?? row.skill),
  };
}

function findDistractors(
  folder: string,
  places: Parameters<typeof readTriggerSet>[1] = {},
): readonly string[] {
  const { distractors, distractorList = join(folder, "distractors.txt") } = places;
  if (distractors === undefined) return [];
  if (!existsSync(distractorList)) return findSkillFiles(distractors);
  const targets = new Set(readLines(join(folder, "targets.txt")));
  return readLines(distractorList)
    .filter((line) => !targets.has(line))
    .map((line) => join(distractors, line));
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
  if (!existsSync(path)) return undefined;
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
