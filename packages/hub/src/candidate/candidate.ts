import type { Manifest, Origin, TreeFile } from "@skillet/core";
import { parseSkillBytes } from "@skillet/core/internal";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import { type Digest, treeDigestOf } from "@skillet/kit/digest";
import { decide, deriveOrigin, type ScanReport, type SkillFile, type TrustDecision } from "@skillet/scan";
import type { PluginParts } from "../discover/plugin-documents.ts";
import { readPluginParts } from "../discover/read-plugin-parts.ts";
import type { Envelope, Statement } from "../signature/envelope.ts";
import type { Resolved } from "../sources/source.ts";

/** A skill or plugin with all its bytes in memory, validated and digested; what is scanned is what is placed. */
export interface Candidate {
  readonly kind: "skill" | "plugin";
  readonly name: string;
  readonly files: readonly TreeFile[];
  readonly digest: Digest;
  readonly manifest?: Manifest;
  readonly parts?: PluginParts;
  readonly resolved: Resolved;
  readonly folder: string;
  readonly identity?: string;
  /** Only a lock says where it came from, and nothing here bears that out: it counts as the community's. */
  readonly unproven?: true;
  /** The untrusted project that it lies in, where that is why it counts as the community's. */
  readonly untrusted?: string;
  readonly envelopes?: readonly Envelope[];
  readonly statements?: readonly Statement[];
  /** The keys that the policy names and that signed what was fetched, by id, in byte order; absent where no rule asks. */
  readonly signers?: readonly Digest[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The main file of a skill. */
export function skillFileOf(files: readonly TreeFile[]): TreeFile | undefined {
  return files.find(({ path }) => path === "SKILL.md") ?? files.find(({ path }) => path === "skill.md");
}

export function candidateOfTree(
  files: readonly TreeFile[],
  known: Pick<Candidate, "kind" | "name" | "resolved" | "folder"> & {
    readonly identity: string | undefined;
    readonly isProven: boolean;
  },
): Candidate {
  const { kind, name, resolved, folder, identity, isProven } = known;
  const main = kind === "skill" ? skillFileOf(files) : undefined;
  const parsed = main && parseSkillBytes(main.bytes, { file: main.path, directoryName: name });
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

export type CandidateReading = Candidate | UnfitCandidate;

export interface UnfitCandidate {
  readonly name: string;
  readonly problem: string;
  readonly code?: "signature-missing";
  readonly diagnostics: readonly Diagnostic[];
}

/** Judges files; `scanSkill` of `@skillet/scan`, perhaps with rules of the user's own. */
export type Scan = (
  files: readonly SkillFile[],
  options: { readonly signal?: AbortSignal },
) => Promise<ScanReport>;

export interface Inspected {
  readonly candidate: Candidate;
  readonly report: ScanReport;
  readonly origin: Origin;
  readonly decision: TrustDecision;
}

/** Scans a candidate and looks the decision up; nothing that its text or a lock says about origin or verdict counts. */
export async function inspectCandidate(
  candidate: Candidate,
  options: {
    readonly scan: (files: readonly SkillFile[]) => Promise<ScanReport>;
    readonly trustedSources: readonly string[];
    /** Overrides the table's decision only. */
    readonly force: boolean;
  },
): Promise<Inspected> {
  const { scan, trustedSources, force } = options;
  const report = await scan(candidate.files);
  const origin = originOf(candidate, trustedSources);
  return { candidate, report, origin, decision: decide({ origin, verdict: report.verdict, force }) };
}

export function originOf(
  { resolved, identity, unproven }: Pick<Candidate, "resolved" | "identity" | "unproven">,
  trustedSources: readonly string[],
): Origin {
  const trusted = trustedSpelling(identity, trustedSources);
  // The folder says nothing about its owner, and may have characters that no identity has.
  const source = unproven === true ? "" : originSource({ resolved, identity: trusted, folder: "" });
  return deriveOrigin({ scope: "plugin", source, trustedSources });
}

/** The trusted spelling of an identity: its host does not tell capitals apart; everything else stays exact. */
export function trustedSpelling(
  identity: string | undefined,
  trustedSources: readonly string[],
): string | undefined {
  const folded = identity?.toLowerCase();
  return trustedSources.find((trusted) => trusted.toLowerCase() === folded) ?? identity;
}

/** The text that origins are derived from: `local` for a folder of this machine, `owner/repository/folder` of a known host. */
export function originSource({
  resolved,
  identity,
  folder,
}: Pick<Candidate, "resolved" | "folder"> & { readonly identity?: string | undefined }): string {
  if (resolved.kind === "local") return "local";
  if (identity === undefined) return "";
  return folder === "" ? identity : `${identity}/${folder}`;
}
