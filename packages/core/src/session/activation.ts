import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import type { Execution } from "../format/manifest.ts";
import type { Resource } from "../registry/resource.ts";
import type { ActivationSource } from "./activation-source.ts";

/** What an activation gives: the text for the model, and what it was made of. */
export interface Activation {
  /** The skill's qualified name. */
  readonly name: string;
  readonly source: ActivationSource;
  /** Of SKILL.md as it was read for this. */
  readonly digest: Digest;
  /** Over all files of the skill; absent when one could not be read. */
  readonly treeDigest?: Digest;
  /** What to hand to the model, wrapped; a short note when the same text is in context already. */
  readonly text: string;
  readonly resources: readonly Resource[];
  readonly duplicate: boolean;
  /** The file had changed since the snapshot. */
  readonly drifted: boolean;
  /** How the skill wants to be carried out: inline or as a fork, with which model. */
  readonly execution: Execution;
  readonly diagnostics: readonly Diagnostic[];
}
