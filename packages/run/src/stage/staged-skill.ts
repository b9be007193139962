import type { Digest } from "@skillet/kit/digest";

/** A verified, read-only copy of a whole skill. */
export interface StagedSkill {
  readonly digest: Digest;
  /** Absolute. */
  readonly directory: string;
}
