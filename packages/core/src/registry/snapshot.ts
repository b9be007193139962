import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import type { Scope, Skill } from "./skill.ts";

/** One root that discovery looked at, whether or not anything was there. */
export interface RootReport {
  readonly scope: Scope;
  readonly path: string;
  readonly sourceId: string;
  readonly state: "scanned" | "missing" | "unreadable";
  /** False for project roots of a folder that is not trusted yet. */
  readonly trusted: boolean;
  readonly skills: number;
  readonly failed: number;
}

/**
 * The result of one discovery; immutable and serialisable.
 *
 * Nothing that was found is left out: disabled, unavailable, untrusted and shadowed skills are here with the reason.
 */
export interface Snapshot {
  /** A hash over the skills' identities, digests and states; equal content gives an equal version. */
  readonly version: Digest;
  readonly roots: readonly RootReport[];
  /** In byte order of qualified name. */
  readonly skills: readonly Skill[];
  readonly diagnostics: readonly Diagnostic[];
}
