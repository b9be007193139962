import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";

/** One skill of an index, every part of it checked before anything is fetched. */
export type IndexEntry =
  /** Version 0.2: one artefact, a SKILL.md or an archive. */
  | {
      readonly kind: "skill-md" | "archive";
      readonly name: string;
      readonly description: string;
      readonly url: string;
      readonly digest: Digest;
      /** Addresses of envelopes, on the same site. */
      readonly signatures?: readonly string[];
    }
  /** Version 0.1: plain files, without a digest. */
  | {
      readonly kind: "files";
      readonly name: string;
      readonly description: string;
      readonly files: readonly { readonly path: string; readonly url: string }[];
    };

/** An index as it was read; entries with faults are left out, and diagnostics say why. */
export interface SkillIndex {
  /** Where it was asked for. */
  readonly location: string;
  readonly entries: readonly IndexEntry[];
  readonly diagnostics: readonly Diagnostic[];
}
