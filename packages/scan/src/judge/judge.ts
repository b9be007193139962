import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { SkillFile } from "../file/skill-file.ts";
import type { Verdict } from "../scan-report.ts";

export interface JudgeRequest {
  readonly files: readonly SkillFile[];
  readonly signal?: AbortSignal;
}

/** A judge's opinion of a skill. */
export interface Opinion {
  readonly verdict: Verdict;
  readonly by: string;
  /** In the judge's words, for people only: they may echo what the skill says. */
  readonly reasons: readonly string[];
}

/** An opinion, or the reason why there is none; never an error, because a judge that fails must change nothing. */
export interface JudgeAnswer {
  readonly opinion?: Opinion;
  readonly diagnostics: readonly Diagnostic[];
}

/** Someone who gives a second opinion. It can raise a verdict, never lower one. */
export interface Judge {
  /** Stands for who judges and how: opinions of another judge are asked for anew. */
  readonly by: string;
  /** Whether it gave up, and answers no one any more. */
  isOut?(): boolean;
  judge(request: JudgeRequest): Promise<JudgeAnswer>;
}
