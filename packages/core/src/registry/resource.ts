import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";

/** The purpose of a skill's file, by its top-level folder. */
export type ResourceKind = "reference" | "asset" | "template" | "script" | "other";

/** Facts about a file that may be run. */
export interface ScriptFacts {
  readonly executable: boolean;
  readonly shebang?: string;
  /** The interpreter that the file requests or its extension implies; `unknown` is never run. */
  readonly runtime:
    | "bash"
    | "sh"
    | "python"
    | "node"
    | "deno"
    | "bun"
    | "ruby"
    | "perl"
    | "shebang"
    | "unknown";
}

/** One file of a skill other than SKILL.md. */
export interface Resource {
  /** Relative to the skill's folder, with `/`. */
  readonly path: string;
  readonly kind: ResourceKind;
  readonly size: number;
  readonly digest: Digest;
  readonly contentKind: "text" | "binary" | "link";
  readonly script?: ScriptFacts;
}

/** Every file of one skill and the digest over all of them, computed on first use. */
export interface ResourceIndex {
  readonly resources: readonly Resource[];
  /** Absent if a file could not be read whole: a tree that was not seen has no digest. */
  readonly treeDigest?: Digest;
  /** The digest of SKILL.md at that time; absent if it could not be read. */
  readonly skillDigest?: Digest;
  /** Covers the files that could be read, even if others could not. */
  readonly readDigest?: Digest;
  /** Its text reaches beyond the tree by path, such as to a nested skill or a link's target. */
  readonly hasBeyond?: true;
  readonly diagnostics: readonly Diagnostic[];
}
