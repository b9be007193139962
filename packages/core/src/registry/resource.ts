import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";

/** The purpose of a skill's file, by its first folder. */
export type ResourceKind = "reference" | "asset" | "template" | "script" | "other";

/** Facts about a file that may be run. */
export interface ScriptFacts {
  readonly executable: boolean;
  readonly shebang?: string;
  /** The interpreter the file asks for or its ending implies; `unknown` is never run. */
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

/** One file of a skill besides SKILL.md. */
export interface Resource {
  /** Relative to the skill's folder, with `/`. */
  readonly path: string;
  readonly kind: ResourceKind;
  readonly size: number;
  readonly digest: Digest;
  readonly contentKind: "text" | "binary" | "link";
  readonly script?: ScriptFacts;
}

/** Every file of one skill and the digest over all of them, computed when first asked for. */
export interface ResourceIndex {
  readonly resources: readonly Resource[];
  /** Absent when a file could not be read whole: a tree that was not seen has no digest. */
  readonly treeDigest?: Digest;
  /** Of SKILL.md as it was then; absent when it could not be read. */
  readonly skillDigest?: Digest;
  /** Over the files that could be read, also where those are not all. */
  readonly readDigest?: Digest;
  /** Its text reaches more by its paths than the tree holds, such as a nested skill or what a link leads to. */
  readonly hasBeyond?: true;
  readonly diagnostics: readonly Diagnostic[];
}
