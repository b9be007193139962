import type { Anomaly, AnomalyFact, Fact } from "../fact/fact.ts";
import type { SkillFile } from "../file/skill-file.ts";

/** What was inside a file. */
export interface Unpacked {
  /** Members, as `archive.zip!/member`; each is identified and read like any other file. */
  readonly files: readonly SkillFile[];
  readonly facts: readonly Fact[];
  /** Why not all of it could be read. */
  readonly unread?: string;
}

/** A file that has nothing inside. */
export const NOTHING: Unpacked = { files: [], facts: [] };

/** A member of a file, by a path that a person understands. */
export function memberOf(file: SkillFile, name: string, bytes: Uint8Array): SkillFile {
  return { path: `${file.path}!/${name}`, mode: "644", bytes };
}

/** Something odd about a file as a whole. */
export function anomalyOf(file: SkillFile, what: Anomaly, detail: string): AnomalyFact {
  return {
    kind: "anomaly",
    what,
    detail,
    file: file.path,
    line: 1,
    snippet: detail.slice(0, 200),
    chain: [],
    medium: "data",
    stance: "live",
    section: [],
    isFixture: false,
  };
}

/** How many archives a path leads through. */
export function depthOf(path: string): number {
  return path.split("!/").length - 1;
}
