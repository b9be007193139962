import type { Digest } from "@skillet/kit/digest";

/** A source pinned to exact bytes, as a lock keeps it; never with credentials. */
export type Resolved =
  | ResolvedGit
  | ResolvedLocal
  | ResolvedArchive
  | ResolvedSkillFile
  | ResolvedWellKnown
  | ResolvedNpm
  | ResolvedOci;

export interface ResolvedGit {
  readonly kind: "git";
  readonly url: string;
  /** As the remote lists it, such as `refs/heads/main`; absent for a commit that was asked for by its id. */
  readonly ref?: string;
  readonly commit: string;
}

export interface ResolvedLocal {
  readonly kind: "local";
  /** Absolute, or relative to a project's lock. */
  readonly path: string;
}

export interface ResolvedArchive {
  readonly kind: "archive";
  readonly location: string;
  /** Of the archive's bytes. */
  readonly digest: Digest;
}

export interface ResolvedSkillFile {
  readonly kind: "skill-file";
  readonly url: string;
  /** Of SKILL.md and all that was fetched with it, as `digestTree` counts. */
  readonly digest: Digest;
}

export interface ResolvedWellKnown {
  readonly kind: "well-known";
  /** The address of the index. */
  readonly index: string;
  /** The entry's name in it. */
  readonly name: string;
  /** Of the artefact's bytes, as the index says and was verified; absent in indexes of version 0.1. */
  readonly digest?: Digest;
}

export interface ResolvedNpm {
  readonly kind: "npm";
  readonly name: string;
  readonly version: string;
  /** As the registry gives it, such as `sha512-…`. */
  readonly integrity: string;
}

export interface ResolvedOci {
  readonly kind: "oci";
  readonly registry: string;
  readonly repository: string;
  readonly tag?: string;
  /** Of the manifest. */
  readonly digest: Digest;
}
