import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { type ActivationKey, digestArguments } from "../activate/skill-activations.ts";
import { openSession, type SessionParts, strictest } from "../open-session.ts";
import { type JournalEntry, readJournal } from "../records/journal.ts";
import type { ActivationRecord, PolicyRecord } from "../records/session-record.ts";
import type { Activation, Session, SessionOptions } from "../session.ts";
import type { DriftCode, PresentSkills, VerifiedSkill } from "./compare-skill.ts";
import { type RunVerification, verifyRun } from "./verify-run.ts";

/** How a recorded run is taken up again. */
export interface ResumeOptions extends Omit<SessionOptions, "records" | "runId" | "onDrift"> {
  /** What happens when skills are no longer what was recorded; default and in batch: fail. */
  readonly onDrift?: OnDrift;
}

/** A session that goes on where a run stopped. */
export interface ResumedSession {
  readonly session: Session;
  /** Skills that were loaded anew because they had changed; hand their texts to the model. */
  readonly reactivated: readonly Activation[];
  readonly diagnostics: readonly Diagnostic[];
}

export async function resumeSession(
  runFolder: string,
  parts: SessionParts,
  options: ResumeOptions & { readonly present: PresentSkills },
): Promise<ResumedSession> {
  const { present, onDrift = "fail", ...rest } = options;
  checkOnDrift(onDrift);
  const interactive = options.interactive ?? options.ask !== undefined;
  const plan = resumePlan(await verifyRun(runFolder, present), { onDrift, interactive });
  const { entries } = await readJournal(runFolder);
  const frame = frameOf(entries, runFolder);
  const session = await openSession(parts, {
    ...rest,
    records: runFolder,
    // A run is never less strict than it was. What it was allowed is not taken from its journal, which whoever can write
    // the folder can forge: the caller says it again.
    mode: strictest([frame.mode, rest.mode ?? "default"]),
    runId: frame.runId,
  });
  const inContext = textsInContext(entries);
  const ofThisTurn = activationsOfLastTurn(entries);
  for (const { skill, activations, code } of plan.keep)
    for (const record of activations)
      if (skill !== undefined)
        session.adopt(skill, {
          key: activationKey(record),
          source: record.source,
          arguments: isWhole(record) ? { text: record.arguments } : undefined,
          isOfThisTurn: ofThisTurn.has(keyOf(record)),
          isInContext: code === "run-unchanged" && inContext.has(keyOf(record)),
        });
  const reactivated: Activation[] = [];
  for (const { name, skill, activations } of plan.reactivate)
    for (const record of activations)
      reactivated.push(await session.activate(skill?.qualifiedName ?? name, reactivation(record)));
  await session.writeArtefacts();
  return { session, reactivated, diagnostics: plan.diagnostics };
}

function checkOnDrift(onDrift: OnDrift): void {
  if (onDrift === "fail" || onDrift === "warn" || onDrift === "reload") return;
  throw new SkilletError(
    "invalid-on-drift",
    `onDrift is ${JSON.stringify(onDrift)}; pass "fail", "warn" or "reload".`,
    { data: { onDrift } },
  );
}

interface RunFrame {
  readonly runId: string;
  readonly mode: NonNullable<SessionOptions["mode"]>;
}

function frameOf(entries: readonly JournalEntry[], runFolder: string): RunFrame {
  const frames = entries.map(({ record }) => record).filter((record) => record.kind === "policy");
  const latest: PolicyRecord | undefined = frames.at(-1);
  const runId = entries[0]?.runId;
  if (latest === undefined || runId === undefined)
    throw new SkilletError(
      "run-journal-damaged",
      `The journal of ${runFolder} does not say what the run was allowed; keep it as evidence and start a new run.`,
      { data: { runFolder } },
    );
  if (latest.parentRunId !== undefined)
    throw new SkilletError(
      "run-is-fork",
      `${runFolder} is the run of a child, whose limits are its parent's; resume the parent instead.`,
      { data: { runFolder, parentRunId: latest.parentRunId } },
    );
  return { runId, mode: latest.mode as RunFrame["mode"] };
}

/** The activations whose text the host still has: those that no compaction dropped. */
function textsInContext(entries: readonly JournalEntry[]): ReadonlySet<string> {
  const keys = new Map<string, Set<string>>();
  for (const { record } of entries) {
    if (record.kind === "activation") {
      const known = keys.get(record.name) ?? new Set();
      keys.set(record.name, known.add(keyOf(record)));
    } else if (record.kind === "compaction") {
      for (const name of keys.keys()) if (!record.kept.includes(name)) keys.delete(name);
    }
  }
  return new Set([...keys.values()].flatMap((known) => [...known]));
}

function activationsOfLastTurn(entries: readonly JournalEntry[]): ReadonlySet<string> {
  const start = entries.findLastIndex(({ record }) => record.kind === "turn-ended") + 1;
  return new Set(
    entries.slice(start).flatMap(({ record }) => (record.kind === "activation" ? [keyOf(record)] : [])),
  );
}

function isWhole({ arguments: given, argumentsDigest }: ActivationRecord): boolean {
  return argumentsDigest === undefined || argumentsDigest === digestArguments(given);
}

function activationKey({
  digest,
  treeDigest,
  arguments: given,
  argumentsDigest,
}: ActivationRecord): ActivationKey {
  return { digest, treeDigest, argumentsDigest: argumentsDigest ?? digestArguments(given) };
}

function keyOf(record: ActivationRecord): string {
  const { digest, treeDigest, argumentsDigest } = activationKey(record);
  return JSON.stringify([record.name, treeDigest ?? digest, argumentsDigest]);
}

function reactivation(record: ActivationRecord): { source: ActivationRecord["source"]; arguments?: string } {
  const { source, arguments: given, name } = record;
  if (!isWhole(record))
    throw new SkilletError(
      "run-arguments-lost",
      `The arguments of ${name} were too long to be recorded whole, so it cannot be loaded anew; start a new run.`,
      { data: { skill: name } },
    );
  return { source, ...(given !== undefined && { arguments: given }) };
}

/** What to do when a run is no longer what was recorded: stop, go on and say so, or activate anew. */
export type OnDrift = "fail" | "warn" | "reload";

interface ResumeDecision {
  readonly onDrift: OnDrift;
  /** Without anybody to look at the difference, every drift is a failure. */
  readonly interactive: boolean;
}

interface ResumePlan {
  /** Skills whose text in the context stands as it is. */
  readonly keep: readonly VerifiedSkill[];
  /** Skills to activate anew, from where `skill` says they are now, with the arguments of each activation. */
  readonly reactivate: readonly VerifiedSkill[];
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
