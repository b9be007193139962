import type { Manifest, TreeFile } from "@skillet/core";
import { parseSkillBytes } from "@skillet/core/internal";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { type Digest, treeDigestOf } from "@skillet/kit/digest";
import type { PluginParts } from "../discover/plugin-documents.ts";
import { readPluginParts } from "../discover/read-plugin-parts.ts";
import type { Envelope, Statement } from "../signature/envelope.ts";
import type { Resolved } from "../source/source.ts";

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

/** A candidate made from files that were kept, as they were installed. */
export function candidateOfTree(
  files: readonly TreeFile[],
  known: {
    readonly kind: Candidate["kind"];
    readonly name: string;
    readonly resolved: Resolved;
    readonly folder: string;
    readonly identity: string | undefined;
    readonly isProven: boolean;
  },
): Candidate {
  const { kind, name, resolved, folder, identity, isProven } = known;
  const main = files.find(({ path }) => path === "SKILL.md") ?? files.find(({ path }) => path === "skill.md");
  const parsed =
    kind === "skill" && main
      ? parseSkillBytes(main.bytes, { file: main.path, directoryName: name })
      : undefined;
  return {
    kind,
    name,
    files,
    digest: treeDigestOf(files),
    ...(parsed?.manifest && { manifest: parsed.manifest }),
    ...(kind === "plugin" && { parts: readPluginParts(files, { name }).parts }),
    resolved,
    folder,
    ...(identity !== undefined && { identity }),
    ...(!isProven && { unproven: true }),
    diagnostics: parsed?.diagnostics ?? [],
  };
}

/** A candidate, or why there is none. */
export type CandidateReading = Candidate | UnfitCandidate;

/** What lies in a source and cannot be installed as it is. */
export interface UnfitCandidate {
  readonly name: string;
  /** A sentence for people. */
  readonly problem: string;
  /** Default: it is unfit. */
  readonly code?: "signature-missing";
  readonly diagnostics: readonly Diagnostic[];
}
