import type { ContentBounds, Origin, SkillContent, SkillToVet, SkillVetter, TreeStamp } from "@skillet/core";
import type { Approval, KnownVerdict } from "@skillet/core/internal";
import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import type { SkillFile } from "../file/file-kind.ts";
import type { Judge } from "../judge/create-judge.ts";
import type { ScanReport, Verdict } from "../scan-report.ts";
import type { TrustDecision } from "./decide.ts";

/** Settings of a vetter: what it judges with, and where it keeps its results. */
export interface VetterOptions {
  /** Skillet's own folder, with approvals and the audit log; default `SKILLET_HOME`, else `~/.skillet`. */
  readonly home?: string;
  /** Absent: verdicts are kept in memory only. */
  readonly cacheDirectory?: string;
  readonly clock?: () => number;
  /** Reads every skill that is scanned; see `createJudge`. */
  readonly judge?: Judge;
  /** Exactly `owner/repository`; default: `DEFAULT_TRUSTED_SOURCES`. */
  readonly trustedSources?: readonly string[];
  /** Whether approvals that call a finding a false alarm count; default true. */
  readonly falseAlarms?: boolean;
  /** Where an installed skill was fetched from, as its installer recorded it. */
  readonly sourceOf?: (skill: SkillToVet) => string | undefined;
  /** Default: the scanner with its own rules and limits. */
  readonly scan?: FileScan;
  /** Called after each skill of many. */
  readonly onProgress?: (progress: {
    readonly done: number;
    readonly total: number;
    readonly name: string;
  }) => void;
}

/** A vetter, with what a command needs to show a skill to a user and record their answer. */
export interface Vetter extends SkillVetter {
  inspect(skill: SkillToVet, options?: { readonly signal?: AbortSignal }): Promise<Inspection | Unjudged>;
  /** Records a user's approval of the inspected skill: in the audit log first, then in the store. */
  approve(skill: SkillToVet, inspection: Inspection, how: Pick<Approval, "forced" | "reason">): Promise<void>;
  decline(skill: SkillToVet, inspection: Inspection): Promise<void>;
  /** Withdraws an approval; returns whether there was one. */
  withdraw(approval: Approval): Promise<boolean>;
  /** Caches a scan's result, if it is by the same rules and judge; no one is asked. `flush` writes it. */
  keep(skill: SkillToVet, scanned: ScannedSkill): Promise<void>;
  flush(): Promise<void>;
}

/** The result of a scan with the same rules that was made elsewhere. */
export interface ScannedSkill {
  readonly content: Omit<SkillContent, "files">;
  /** The status of its files before they were read. */
  readonly stamp: TreeStamp | undefined;
  readonly report: ScanReport;
  /** Whether the caller writes a block into the audit log itself. */
  readonly isRecorded?: boolean;
}

/** The scan that a vetter judges with. */
export interface FileScan {
  /** Identifies the rules and everything that affects their result: limits, packs, suppressions. */
  readonly ruleSet: string;
  readonly bounds: ContentBounds;
  /** Called before a scan. An error thrown here concerns the rules, so it ends the vetting. */
  prepare?(): Promise<void>;
  run(
    files: readonly SkillFile[],
    options: { readonly signal?: AbortSignal; readonly skillFolders?: readonly string[] },
  ): Promise<ScanReport>;
}

/** The facts about one skill, and the decision that follows from them. */
export interface Inspection {
  /** Of the inspected content; absent if it could not be read whole, and then no one can approve it. */
  readonly digest?: Digest;
  readonly origin: Origin;
  /** The worse of the scan's verdict and the judge's. */
  readonly verdict: Verdict;
  readonly known: Omit<KnownVerdict, "generation">;
  readonly decision: TrustDecision;
  /** Whether the user approved exactly this content. */
  readonly approved: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

export interface Unjudged {
  readonly problem: string;
}
