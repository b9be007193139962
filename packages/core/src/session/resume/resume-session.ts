import type { Diagnostic } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import type { PolicyMode } from "../../config/config.ts";
import { adoptSkill, digestArguments } from "../activate/activate-skill.ts";
import type { ActivationKey } from "../active-skills.ts";
import { createSession, writeRunArtefacts } from "../create-session.ts";
import { startHooks } from "../hooks/run-hooks.ts";
import { openState, strictest } from "../open-session.ts";
import type { JournalPlace } from "../records/journal.ts";
import { orClose } from "../records/recorder.ts";
import type { ActivationRecord, PolicyRecord } from "../records/session-record.ts";
import type { Activation, Session, SessionOptions } from "../session.ts";
import type { SessionParts } from "../state.ts";
import { type DriftCode, type RunVerification, type VerifiedSkill, verifyRun } from "./verify-run.ts";

/** What to do if skills differ from the record: stop, warn, or load them again. */
export type OnDrift = "fail" | "warn" | "reload";

/** Options for resuming a recorded run. */
export interface ResumeOptions extends Omit<SessionOptions, "records" | "runId" | "onDrift"> {
  /** Default: fail. */
  readonly onDrift?: OnDrift | undefined;
}

/** A session that continues where a run stopped. */
export interface ResumedSession {
  readonly session: Session;
  /** Skills that were loaded again because they had changed; pass their texts to the model. */
  readonly reactivated: readonly Activation[];
  readonly diagnostics: readonly Diagnostic[];
}

export async function resumeSession(
  records: JournalPlace,
  parts: SessionParts,
  { onDrift = "fail", ...rest }: ResumeOptions,
): Promise<ResumedSession> {
  checkOnDrift(onDrift);
  rest.signal?.throwIfAborted();
  const verification = await verifyRun(records, { ...parts, signal: rest.signal });
  const plan = resumePlan(verification, onDrift);
  const { runId, policy, inContext, ofLastTurn } = replay(verification);
  const { lastSequence: recordedBefore } = verification;
  const own: SessionOptions = {
    ...rest,
    records,
    // A run never becomes less strict. Grants are not read from the journal, which anyone who can write to
    // the folder can forge: the caller passes them again.
    mode: strictest([policy.mode as PolicyMode, rest.mode ?? "default"]),
    runId,
  };
  const state = await openState(parts, own, { recordedBefore, subsets: policy.subsets ?? [] });
  return orClose(state.recorder, async () => {
    for (const { skill, activations, code } of plan.keep) {
      if (skill === undefined) continue;
      for (const record of activations)
        adoptSkill(state, skill, {
          key: activationKey(record),
          source: record.source,
          arguments: isWhole(record) ? { text: record.arguments } : undefined,
          isOfThisTurn: ofLastTurn.has(keyOf(record)),
          isInContext: code === "run-unchanged" && inContext.get(record.name)?.has(keyOf(record)) === true,
        });
    }
    const session = createSession(state, await startHooks(state, "resume"));
    const reactivated: Activation[] = [];
    for (const { name, skill, activations } of plan.reactivate)
      for (const record of activations)
        reactivated.push(await session.activate(skill?.qualifiedName ?? name, reactivation(record)));
    await writeRunArtefacts(state);
    return { session, reactivated, diagnostics: plan.diagnostics };
  });
}

function checkOnDrift(onDrift: OnDrift): void {
  if (onDrift === "fail" || onDrift === "warn" || onDrift === "reload") return;
  const message = `onDrift is ${JSON.stringify(onDrift)}; pass "fail", "warn" or "reload".`;
  throw new SkilletError("invalid-on-drift", message, { data: { onDrift } });
}

function replay({ runFolder, entries }: RunVerification) {
  // By name, activations whose text the host still has, because no compaction dropped them.
  const inContext = new Map<string, Set<string>>();
  const ofLastTurn = new Set<string>();
  let policy: PolicyRecord | undefined;
  for (const { record } of entries) {
    if (record.kind === "policy") {
      // Names may have changed hands: what was loaded before is given again on request.
      if (record.snapshotVersion !== policy?.snapshotVersion) inContext.clear();
      policy = record;
    } else if (record.kind === "activation") {
      inContext.set(record.name, (inContext.get(record.name) ?? new Set()).add(keyOf(record)));
      ofLastTurn.add(keyOf(record));
    } else if (record.kind === "compaction") {
      for (const name of inContext.keys()) if (!record.kept.includes(name)) inContext.delete(name);
    } else if (record.kind === "turn-ended") ofLastTurn.clear();
  }
  const runId = entries[0]?.runId;
  if (policy === undefined || runId === undefined) {
    const message = `The journal of ${runFolder} does not say what the run was allowed; keep it as evidence and start a new run.`;
    throw new SkilletError("run-journal-damaged", message, { data: { runFolder } });
  }
  const { parentRunId } = policy;
  if (parentRunId !== undefined) {
    const message = `${runFolder} is the run of a child, whose limits are its parent's; resume the parent instead.`;
    throw new SkilletError("run-is-fork", message, { data: { runFolder, parentRunId } });
  }
  return { runId, policy, inContext, ofLastTurn };
}

function isWhole({ arguments: given, argumentsDigest }: ActivationRecord): boolean {
  return argumentsDigest === undefined || argumentsDigest === digestArguments(given);
}

function activationKey(record: ActivationRecord): ActivationKey {
  const { digest, treeDigest, argumentsDigest = digestArguments(record.arguments) } = record;
  return { digest, treeDigest, argumentsDigest };
}

function keyOf(record: ActivationRecord): string {
  const { digest, treeDigest, argumentsDigest } = activationKey(record);
  return JSON.stringify([record.name, treeDigest ?? digest, argumentsDigest]);
}

function reactivation(record: ActivationRecord): { source: ActivationRecord["source"]; arguments?: string } {
  const { source, arguments: given, name } = record;
  if (!isWhole(record)) {
    const message = `The arguments of ${name} were too long to be recorded whole, so it cannot be loaded again; start a new run.`;
    throw new SkilletError("run-arguments-lost", message, { data: { skill: name } });
  }
  return { source, ...(given !== undefined && { arguments: given }) };
}

// Loading the skill again fixes these; artefacts are rewritten from the journal.
const RELOADABLE: ReadonlySet<DriftCode> = new Set<DriftCode>([
  "run-root-moved",
  "run-resource-changed",
  "run-body-changed",
  "run-artefact-damaged",
]);

/** Decides whether a run may continue; otherwise throws a SkilletError with the code of the worst cause. */
export function resumePlan(
  verification: RunVerification,
  onDrift: OnDrift,
): Record<"keep" | "reactivate", readonly VerifiedSkill[]> & Pick<RunVerification, "diagnostics"> {
  const { runFolder, skills, causes, diagnostics } = verification;
  const worst = causes.find((code) => onDrift === "fail" || (onDrift === "reload" && !RELOADABLE.has(code)));
  if (worst !== undefined) {
    const [first, ...others] = diagnostics.filter(({ code }) => code === worst);
    const more = others.length > 0 ? ` (and ${others.length} more like it)` : "";
    const next = first?.hint ?? "Start a new run.";
    const message = `The run ${runFolder} was not resumed. ${first?.message ?? worst}${more} ${next}`;
    throw new SkilletError(worst, message, { data: { runFolder, onDrift, diagnostics } });
  }
  const reactivate = onDrift === "reload" ? skills.filter(({ code }) => code !== "run-unchanged") : [];
  return { keep: skills.filter((skill) => !reactivate.includes(skill)), reactivate, diagnostics };
}
