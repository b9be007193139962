import type { Manifest, TreeFile } from "@skillet/core";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import type { PluginParts } from "../discover/plugin-parts.ts";
import type { Resolved } from "../fetch/resolved.ts";
import type { Envelope } from "../signature/envelope.ts";
import type { Statement } from "../signature/sign-tree.ts";

/** A skill or plugin with all its bytes in memory, validated and digested; what is scanned is what is placed. */
export interface Candidate {
  readonly kind: "skill" | "plugin";
  readonly name: string;
  /** In byte order of path, plain files only. */
  readonly files: readonly TreeFile[];
  /** Of exactly these files. */
  readonly digest: Digest;
  /** Of its SKILL.md; absent for plugins. */
  readonly manifest?: Manifest;
  /** Absent for skills. */
  readonly parts?: PluginParts;
  readonly resolved: Resolved;
  /** Within the source; empty for its root. */
  readonly folder: string;
  /** See `OpenedSource`. */
  readonly identity?: string;
  /** Only a lock says where it came from, and nothing here bears that out: it counts as the community's. */
  readonly unproven?: true;
  /** The project that it lies in and nobody trusts, where that is why it counts as the community's. */
  readonly untrusted?: string;
  /** What was signed about exactly these files, where a policy asked for it. */
  readonly envelopes?: readonly Envelope[];
  /** What its publishers say about it there, checked; each rule that asks has its own. */
  readonly statements?: readonly Statement[];
  /** The keys that the policy names and that signed what was fetched, by id, in byte order; absent where no rule asks. */
  readonly signers?: readonly Digest[];
  readonly diagnostics: readonly Diagnostic[];
}
