/** Where skills are asked for, as `parseSource` reads it from what a person wrote. */
export type Source =
  | GitSource
  | LocalSource
  | ArchiveSource
  | SkillFileSource
  | WellKnownSource
  | NpmSource
  | OciSource;

interface Picked {
  /** The skill or plugin that was named with `@name`; absent: whatever is there. */
  readonly pick?: string;
}

/** A repository, by any protocol that git speaks and the allowlist has. */
export interface GitSource extends Picked {
  readonly kind: "git";
  /** Without credentials, query or fragment. */
  readonly url: string;
  /** A branch, a tag or a full commit; absent: what the remote's HEAD says. */
  readonly ref?: string;
  /** Of a tree URL: a ref and a folder, which only the remote's refs can tell apart. */
  readonly refAndFolder?: string;
  /** Within the repository, without slashes at its ends. */
  readonly folder?: string;
}

/** A folder of this machine. */
export interface LocalSource extends Picked {
  readonly kind: "local";
  /** Absolute. */
  readonly path: string;
}

/** One `.skill`, zip or tar.gz file. */
export interface ArchiveSource extends Picked {
  readonly kind: "archive";
  /** An http(s) URL, or an absolute path. */
  readonly location: string;
}

/** One SKILL.md by its address. */
export interface SkillFileSource {
  readonly kind: "skill-file";
  readonly url: string;
}

/** A site with a well-known index of skills. */
export interface WellKnownSource extends Picked {
  readonly kind: "well-known";
  /** An http(s) URL without query or fragment. */
  readonly base: string;
}

/** A package of an npm registry. */
export interface NpmSource extends Picked {
  readonly kind: "npm";
  readonly name: string;
  /** An exact version or a tag; absent: `latest`. */
  readonly version?: string;
}

/** An artefact of an OCI registry. */
export interface OciSource extends Picked {
  readonly kind: "oci";
  /** Host and port. */
  readonly registry: string;
  readonly repository: string;
  readonly tag?: string;
  /** Beats the tag. */
  readonly digest?: string;
}
