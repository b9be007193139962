import { isAbsolute } from "node:path";
import { resolvePath } from "@skillet/shell";
import type { Skill } from "../registry/skill.ts";

/** A file of a skill, or with an empty subject its folder. */
export interface Place {
  readonly skill: Skill;
  /** Relative to the skill's folder, with `/`. */
  readonly subject: string;
  readonly isSkillFile: boolean;
}

/** Deeper paths are not looked at, so that no path costs more than this many look-ups. */
const MAX_DEPTH = 128;

export class SkillPlaces {
  readonly #folders = new Map<string, Skill>();
  /** Skill files that lie outside their folder, and commands, which share theirs. */
  readonly #files = new Map<string, Skill>();
  readonly #canonical: (path: string) => string;

  constructor(skills: readonly Skill[], canonical: (path: string) => string) {
    this.#canonical = (path) => (isAbsolute(path) ? canonical(path) : path);
    // Of two skills in one place the one that is offered is meant.
    const ranked = [...skills].sort((left, right) => rankOf(left) - rankOf(right));
    for (const skill of ranked) this.#add(skill, skill.path);
    for (const skill of ranked) for (const path of skill.alsoAt) this.#add(skill, path);
    for (const skill of ranked) this.#addCanonical(skill);
  }

  /** The innermost skill that holds a path: first as the agent wrote it, then where links lead. */
  locate(path: string): Place | undefined {
    const written = this.#find(path);
    if (written !== undefined) return written;
    const real = resolvePath(this.#canonical(path), undefined);
    return real === undefined || real === path ? undefined : this.#find(real);
  }

  #find(path: string): Place | undefined {
    const key = keyOf(path);
    const file = this.#files.get(key);
    if (file !== undefined) return { skill: file, subject: baseOf(file.path), isSkillFile: true };
    let end = key.length;
    for (let depth = 0; depth < MAX_DEPTH && end > 0; depth += 1) {
      const skill = this.#folders.get(key.slice(0, end));
      if (skill !== undefined) {
        const base = baseOf(skill.path);
        const isSkillFile = key.slice(end + 1) === (key === path ? base : base.toLowerCase());
        return { skill, subject: path.slice(end + 1), isSkillFile };
      }
      end = key.lastIndexOf("/", end - 1);
    }
    return undefined;
  }

  #add(skill: Skill, path: string): void {
    const file = resolvePath(path, undefined);
    if (file === undefined) return;
    if (skill.kind === "command") setFirst(this.#files, keyOf(file), skill);
    else setFirst(this.#folders, keyOf(folderOf(file)), skill);
  }

  #addCanonical(skill: Skill): void {
    if (!isAbsolute(skill.path)) return;
    const file = this.#canonical(skill.path);
    if (file === skill.path) return;
    this.#addFile(skill, file);
    if (skill.kind === "skill") {
      const folder = resolvePath(this.#canonical(skill.directory), undefined);
      if (folder !== undefined) setFirst(this.#folders, keyOf(folder), skill);
    }
  }

  #addFile(skill: Skill, path: string): void {
    const file = resolvePath(path, undefined);
    if (file !== undefined) setFirst(this.#files, keyOf(file), skill);
  }
}

function rankOf({ state }: Skill): number {
  return state === "enabled" ? 0 : 1;
}

// Windows does not tell cases apart; what has a drive or a server comes from there.
function keyOf(path: string): string {
  if (!/^(?:[A-Za-z]:\/|\\\\)/.test(path)) return path;
  const lower = path.toLowerCase();
  // Keys and paths are cut at the same places.
  return lower.length === path.length ? lower : path;
}

function folderOf(file: string): string {
  return file.slice(0, Math.max(file.lastIndexOf("/"), 0));
}

function baseOf(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}

function setFirst(map: Map<string, Skill>, key: string, skill: Skill): void {
  if (!map.has(key)) map.set(key, skill);
}
