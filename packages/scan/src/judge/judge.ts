import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { SkillFile } from "../file/skill-file.ts";
import type { Opinion, ScanReport } from "../scan-report.ts";

export interface JudgeRequest {
  readonly files: readonly SkillFile[];
  /** What the rules found, which the judge is given as evidence. */
  readonly report: ScanReport;
  readonly signal?: AbortSignal;
}

/** An opinion, or the reason why there is none; never an error, because a judge that fails must change nothing. */
export interface JudgeAnswer {
  readonly opinion?: Opinion;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads a skill and says what it thinks; `createJudge` makes one of a language model. */
export interface Judge {
  /** Names who judges and how: a skill that another judge read is read again. */
  readonly by: string;
  /** Whether it stopped answering, so that asking again is no use. */
  isOut?(): boolean;
  judge(request: JudgeRequest): Promise<JudgeAnswer>;
}
