import type { Origin } from "@skillet/core";
import { decide, deriveOrigin, type ScanReport, type SkillFile, type TrustDecision } from "@skillet/scan";
import type { Candidate } from "../candidate/candidate.ts";

/** Judges files; `scanSkill` of `@skillet/scan`, perhaps with rules of the user's own. */
export type Scan = (
  files: readonly SkillFile[],
  options: { readonly signal?: AbortSignal },
) => Promise<ScanReport>;

interface InspectOptions {
  readonly scan: (files: readonly SkillFile[]) => Promise<ScanReport>;
  readonly trustedSources: readonly string[];
  /** Somebody insists, which changes only what the table says. */
  readonly force: boolean;
}

/** Scans a candidate and looks the decision up; nothing that its text or a lock says about origin or verdict counts. */
export async function inspectCandidate(candidate: Candidate, options: InspectOptions): Promise<Inspected> {
  const { scan, trustedSources, force } = options;
  const report = await scan(candidate.files);
  const origin = originOf(candidate, trustedSources);
  return { candidate, report, origin, decision: decide({ origin, verdict: report.verdict, force }) };
}

export function originOf(
  { resolved, identity, unproven }: Pick<Candidate, "resolved" | "identity" | "unproven">,
  trustedSources: readonly string[],
): Origin {
  // The folder says nothing about whose it is, and may have characters that no identity has.
  const source =
    unproven === true
      ? ""
      : originSource({ resolved, identity: friendOf(identity, trustedSources), folder: "" });
  return deriveOrigin({ scope: "plugin", source, trustedSources });
}

/** The trusted spelling of an identity: its host does not tell capitals apart; everything else stays exact. */
export function friendOf(
  identity: string | undefined,
  trustedSources: readonly string[],
): string | undefined {
  const folded = identity?.toLowerCase();
  return trustedSources.find((trusted) => trusted.toLowerCase() === folded) ?? identity;
}

/** What origins are derived from: `local` for a folder of this machine, `owner/repository/folder` of a known host. */
export function originSource({
  resolved,
  identity,
  folder,
}: Pick<Candidate, "resolved" | "folder"> & { readonly identity?: string | undefined }): string {
  if (resolved.kind === "local") return "local";
  if (identity === undefined) return "";
  return folder === "" ? identity : `${identity}/${folder}`;
}

export interface Inspected {
  readonly candidate: Candidate;
  readonly report: ScanReport;
  readonly origin: Origin;
  readonly decision: TrustDecision;
}
