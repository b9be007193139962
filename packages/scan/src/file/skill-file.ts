import type { TreeFile } from "@skillet/core";

/** A file of a skill as a scan takes it: `TreeFile` of core, with the reason where its bytes could not be had. */
export interface SkillFile extends TreeFile {
  /** Why `bytes` are not the whole file; such a file is never safe. */
  readonly unread?: string;
}
