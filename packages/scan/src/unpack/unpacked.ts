import type { Anomaly, AnomalyFact, Fact } from "../fact/fact.ts";
import type { SkillFile } from "../file/skill-file.ts";

export interface Unpacked {
  /** Members, as `archive.zip!/member`; each is identified and read like any other file. */
  readonly files: readonly SkillFile[];
  readonly facts: readonly Fact[];
  readonly unread?: string;
}

export const NOTHING: Unpacked = { files: [], facts: [] };

export function memberOf(file: SkillFile, name: string, bytes: Uint8Array): SkillFile {
  return { path: `${file.path}!/${name}`, mode: "644", bytes };
}

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

export function depthOf(path: string): number {
  return path.split("!/").length - 1;
}
