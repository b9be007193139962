import type { SourceScan } from "../scan/scanned-skill.ts";
import type { SkillRoot } from "../skill-root.ts";
import type { RootReport } from "../snapshot.ts";

/** A root and what was found in it. */
export interface ScannedRoot {
  readonly root: SkillRoot;
  readonly state: RootReport["state"];
  readonly scan: SourceScan;
}
