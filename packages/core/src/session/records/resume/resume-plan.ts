import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import type { DriftCode } from "./run-code.ts";
import type { VerifiedSkill } from "./verified-skill.ts";
import type { RunVerification } from "./verify-run.ts";

/** What to do when a run is no longer what was recorded: stop, go on and say so, or activate anew. */
export type OnDrift = "fail" | "warn" | "reload";

/** How a run is resumed. */
export interface ResumeDecision {
  readonly onDrift: OnDrift;
  /** Without anybody to look at the difference, every drift is a failure. */
  readonly interactive: boolean;
}

/** What a resumed session starts from. */
export interface ResumePlan {
  /** Skills whose text in the context stands as it is. */
  readonly keep: readonly VerifiedSkill[];
  /** Skills to activate anew, from where `skill` says they are now, with the arguments of each activation. */
  readonly reactivate: readonly VerifiedSkill[];
  /** What a person should know. */
  readonly diagnostics: readonly Diagnostic[];
}

// What activating anew puts right. Artefacts are written again from the journal.
const RELOADABLE: ReadonlySet<DriftCode> = new Set<DriftCode>([
  "run-root-moved",
  "run-resource-changed",
  "run-body-changed",
  "run-artefact-damaged",
]);

/**
 * Decides whether a run may go on; throws a SkilletError with the code of the weightiest cause when not.
 *
 * @example
 * const plan = resumePlan(await verifyRun(folder, skills), { onDrift: "reload", interactive: true });
 * for (const { skill } of plan.reactivate) console.log(skill?.qualifiedName);
 */
export function resumePlan(verification: RunVerification, decision: ResumeDecision): ResumePlan {
  const { skills, causes, diagnostics } = verification;
  const onDrift = decision.interactive ? decision.onDrift : "fail";
  const [worst] = causes.filter(
    (code) => onDrift === "fail" || (onDrift === "reload" && !RELOADABLE.has(code)),
  );
  if (worst !== undefined) throw refused(worst, verification, decision);
  const reactivate = onDrift === "reload" ? skills.filter(({ code }) => code !== "run-unchanged") : [];
  return { keep: skills.filter((skill) => !reactivate.includes(skill)), reactivate, diagnostics };
}

function refused(code: DriftCode, verification: RunVerification, decision: ResumeDecision): SkilletError {
  const { runFolder, diagnostics } = verification;
  const causes = diagnostics.filter((diagnostic) => diagnostic.code === code);
  const [first] = causes;
  const more = causes.length > 1 ? ` (and ${causes.length - 1} more like it)` : "";
  const message = `The run ${runFolder} was not resumed. ${first?.message ?? code}${more} ${wayOut(decision, first)}`;
  return new SkilletError(code, message, { data: { runFolder, ...decision, diagnostics } });
}

function wayOut({ onDrift, interactive }: ResumeDecision, cause: Diagnostic | undefined): string {
  if (!interactive && onDrift !== "fail")
    return `With nobody there to look at it, ${onDrift} counts as fail: resume it interactively, or start a new run.`;
  return cause?.hint ?? "Start a new run.";
}
