import type { Digest } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { quoteName, showLine, showName } from "@skillet/kit/text";
import type { Decision } from "../../policy/decision.ts";
import type { Resource, ResourceIndex } from "../../registry/resource.ts";
import type { Skill } from "../../registry/skill.ts";
import { findActive, isActive, isLoadedFrom } from "../active-skills.ts";
import { placeOf, type RecordedError, type ScriptExecutionRecord } from "../records/session-record.ts";
import {
  type ExecutedScript,
  isRefusal,
  type PreparedScript,
  type RunOptions,
  refuse,
  type ScriptOutcome,
  type ScriptRefusal,
  type ScriptRun,
  type ScriptRunner,
  type ScriptTarget,
  type ToolScript,
} from "../script-runner.ts";
import { presentSkill, resolveFor } from "../skill-access.ts";
import { checkTrust, frozenIndex } from "../skill-reader.ts";
import { askToAllow, checkOpen, onRefusal, type SessionState } from "../state.ts";
import { decideScript } from "../tool-rules.ts";
import { checkScriptCall, findScript, type IndexedScript } from "./check-script-call.ts";
import { showScript } from "./script-allowlist.ts";
import { startScript } from "./start-script.ts";
import { VerifiedTree } from "./verified-tree.ts";

/** A script that is asked for, as a model or a host wrote it. */
export interface ScriptRequest {
  readonly name: unknown;
  readonly path: unknown;
  readonly args: unknown;
  readonly options: RunOptions;
  /** The tool that is called by this, whose skill and files are the only ones that will do. */
  readonly listed?: ToolScript;
}

/** What is known of a script that was asked for, as far as the checks came. */
interface Attempt {
  path: string;
  args?: readonly string[];
  skill?: Skill;
  target?: ScriptTarget;
  indexed?: Resource;
  resourcePath?: string;
  treeDigest?: Digest;
  tree?: VerifiedTree;
  runtime?: string;
}

type RanScript = ScriptOutcome & Pick<ExecutedScript, "runtime" | "target" | "digest" | "treeDigest">;

/** Tier 3: runs a script of a skill. Each check is passed in its turn, and what comes of it is recorded. */
export async function runScript(session: SessionState, request: ScriptRequest): Promise<ScriptRun> {
  const { recorder } = session;
  const attempt: Attempt = { path: textOf(request.path) };
  let result: RanScript | ScriptRefusal;
  try {
    result = await attemptScript(session, request, attempt);
  } catch (error) {
    const described = describeError(error, request.options.signal);
    await recorder.append(recordAttempt(session, request, attempt, described));
    throw error;
  }
  await recorder.append(recordAttempt(session, request, attempt, result));
  const type = "skillet.run-skill-script-output";
  const skill = attempt.skill?.qualifiedName ?? textOf(request.name);
  const { path } = attempt;
  // Runners and sources write refusals too, and put names of files into them.
  return result.status === "refused"
    ? { type, skill, path, ...result, message: showLine(result.message) }
    : { type, skill, path, ...result };
}

// What a model passes can be an object that makes no text of itself.
function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

async function attemptScript(
  session: SessionState,
  { name, path: givenPath, args, options, listed }: ScriptRequest,
  attempt: Attempt,
): Promise<RanScript | ScriptRefusal> {
  const { reader, runner, workspace, protect, config } = session;
  const call = checkScriptCall(givenPath, args, options, config.skills.scriptTimeout);
  if (isRefusal(call)) return call;
  const { path } = call;
  attempt.path = path;
  attempt.args = call.args;
  if (runner === undefined) return RUNNER_MISSING;
  const skill =
    listed === undefined
      ? await findLoaded(session, name)
      : (presentSkill(session, listed.skill) ?? listed.skill);
  if (isRefusal(skill)) return skill;
  attempt.skill = skill;
  // Before anything is said about files, so that nobody can find out what there is.
  if (!isActive(session, skill)) return notActivated(skill);
  const target = session.allowlist.targetOf(skill, path);
  if (target === undefined) return notAllowlisted(skill, path);
  attempt.target = target;
  const index = await onRefusal(frozenIndex(session, skill), ({ message }) => mismatch(skill, message));
  if (isRefusal(index)) return index;
  const script = await findScript(skill, path, index, reader);
  if (isRefusal(script)) return script;
  attempt.indexed = script;
  attempt.resourcePath = reader.toolPath(skill, path);
  const distrust = await findDistrust(session, skill, index);
  if (distrust !== undefined) return distrust;
  const treeDigest = checkLoaded(session, skill, index);
  if (typeof treeDigest !== "string") return treeDigest;
  if (listed !== undefined && listed.treeDigest !== treeDigest)
    return mismatch(skill, "its files are not those that the tool was listed with");
  attempt.treeDigest = treeDigest;
  const signal = options.signal === undefined ? {} : { signal: options.signal };
  attempt.tree = new VerifiedTree({
    index: { ...index, treeDigest },
    skillFile: skill.source.file,
    entry: path,
    read: () => reader.readTree(skill, signal),
  });
  const verified = { skill, script, target, treeDigest, tree: attempt.tree };
  const prepared = await prepareScript(runner, verified);
  if (isRefusal(prepared)) return prepared;
  attempt.runtime = prepared.runtime;
  const denial = await permitScript(session, verified, prepared, options.signal);
  if (denial !== undefined) return denial;
  // Staging takes its time and a person thinks: nothing runs for a session that ended or a skill that was dropped.
  checkOpen(session);
  const present = presentSkill(session, skill);
  if (present === undefined || !isActive(session, present)) return notActivated(skill);
  const stillLoaded = checkLoaded(session, skill, index);
  if (typeof stillLoaded !== "string") return stillLoaded;
  const { runId } = session.recorder;
  const result = await startScript(prepared, {
    call,
    file: attempt.resourcePath,
    ...signal,
    onOutput: options.onOutput,
    frame: { workspace, protect, secrets: session.secrets.valuesFor(skill), runId },
  });
  if (isRefusal(result)) return result;
  return { ...result, runtime: prepared.runtime, target, digest: script.digest, treeDigest };
}

async function findLoaded(session: SessionState, name: unknown): Promise<Skill | ScriptRefusal> {
  if (typeof name !== "string")
    return refuse("skill_not_found", "The name of the skill is not text; pass the name of a loaded skill.");
  const resolve = async (): Promise<Skill> => findActive(session, name) ?? resolveFor(session, name, "model");
  return onRefusal(resolve(), ({ code, message }) =>
    // Its candidates are skills that may be told about; every other error reads like a skill that does not exist.
    refuse(
      "skill_not_found",
      code === "skill-ambiguous" ? message : `There is no skill ${quoteName(name)} here.`,
    ),
  );
}

function findDistrust(
  session: SessionState,
  skill: Skill,
  index: ResourceIndex,
): Promise<ScriptRefusal | undefined> {
  const find = async (): Promise<ScriptRefusal | undefined> => {
    const [changed] = await checkTrust(session, skill, index);
    return changed && refuse("skill_not_trusted", `${changed.message} ${changed.hint ?? ""}`.trim());
  };
  return onRefusal(find(), ({ message }) => refuse("skill_not_trusted", message));
}

// A resumed run freezes when it first looks; what it looks at must be what it had loaded.
function checkLoaded(
  session: SessionState,
  skill: Skill,
  { treeDigest, diagnostics }: ResourceIndex,
): Digest | ScriptRefusal {
  if (treeDigest === undefined) {
    const fault = diagnostics.find(({ severity }) => severity === "error");
    const why = `${showName(fault?.file ?? "?")}: ${fault?.message} ${fault?.hint ?? ""}`.trim();
    return refuse(
      "script_snapshot_mismatch",
      `${showName(skill.qualifiedName)} has no digest by which it could be checked, and nothing was run. ${why}`,
    );
  }
  if (isLoadedFrom(session, skill, treeDigest)) return treeDigest;
  return mismatch(skill, "its files are not those that were loaded");
}

interface VerifiedScript {
  readonly skill: Skill;
  readonly script: IndexedScript;
  readonly target: ScriptTarget;
  readonly treeDigest: Digest;
  readonly tree: VerifiedTree;
}

async function prepareScript(
  runner: ScriptRunner,
  { skill, script, target, treeDigest, tree }: VerifiedScript,
): Promise<PreparedScript | ScriptRefusal> {
  const { name, qualifiedName } = skill;
  try {
    const prepared = await runner.prepare({
      skill: { name, qualifiedName, treeDigest },
      path: script.path,
      facts: script.script,
      target,
      files: { [Symbol.asyncIterator]: () => tree[Symbol.asyncIterator]() },
    });
    // A runner that has this tree already, or refuses at once, need not have looked at the files.
    if (tree.difference === undefined) await tree.verify();
    return tree.difference === undefined ? prepared : mismatch(skill, tree.difference);
  } catch (error) {
    if (tree.difference !== undefined) return mismatch(skill, tree.difference);
    throw error;
  }
}

// By now the bytes are staged: while a person is thinking, nothing that was verified can change.
async function permitScript(
  session: SessionState,
  { skill, script: { path }, treeDigest }: VerifiedScript,
  prepared: PreparedScript,
  signal: AbortSignal | undefined,
): Promise<ScriptRefusal | undefined> {
  const { qualifiedName } = skill;
  const decision = decideScript(session, skill, path);
  if (decision.outcome === "allow") return undefined;
  const shown = showName(showScript({ skill: qualifiedName, path }));
  if (decision.outcome === "ask") {
    const subject = JSON.stringify([qualifiedName, path, treeDigest, prepared.target]);
    const what = `${shown} wants to run with ${prepared.runtime} ${describePlace(prepared)}`;
    const reason = `${what}: ${decision.reason}`;
    const question = { kind: "script", skill: qualifiedName, digest: treeDigest, reason } as const;
    const answer = askOnce(session.scriptAnswers, subject, () => askToAllow(session, question));
    const isYes = await untilAborted(answer, signal);
    checkOpen(session);
    // A yes answers this question; what was denied while it was thought about stays denied.
    const now = decideScript(session, skill, path);
    if (now.outcome === "deny") return denied(shown, now);
    if (isYes) return undefined;
  }
  return denied(shown, decision);
}

/** A yes holds for the session, a no for those who wait for the same question. */
async function askOnce(
  answers: Map<string, Promise<boolean>>,
  subject: string,
  ask: () => Promise<boolean>,
): Promise<boolean> {
  const known = answers.get(subject);
  if (known !== undefined) return known;
  const asked = ask();
  answers.set(subject, asked);
  let isYes = false;
  try {
    isYes = await asked;
    return isYes;
  } finally {
    if (!isYes) answers.delete(subject);
  }
}

async function untilAborted<Result>(
  promise: Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (signal === undefined) return promise;
  signal.throwIfAborted();
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

const RUNNER_MISSING: ScriptRefusal = refuse(
  "script_runner_missing",
  "This session runs no scripts: it was opened without a runner, or is a fork that was given none.",
);

function notActivated({ qualifiedName }: Skill): ScriptRefusal {
  return refuse(
    "skill_not_activated",
    `${showName(qualifiedName)} is not loaded in this session; load it first, then run its scripts.`,
  );
}

function notAllowlisted({ qualifiedName: skill }: Skill, path: string): ScriptRefusal {
  return refuse(
    "script_not_allowlisted",
    `${showName(showScript({ skill, path }))} is not among the scripts that may run here; only whoever runs the agent can allow it.`,
  );
}

function denied(shown: string, { outcome, reason, rule }: Decision): ScriptRefusal {
  const by = rule === undefined ? "" : ` (${rule})`;
  const nobody = outcome === "ask" ? "; nobody said yes" : "";
  return refuse("script_denied", `${shown} was not run: ${reason}${by}${nobody}.`);
}

function mismatch({ qualifiedName }: Skill, difference: string): ScriptRefusal {
  return refuse(
    "script_snapshot_mismatch",
    `${showName(qualifiedName)} is not what it was when it was loaded, and nothing was run: ${difference}. Load it again, and look at the change.`,
  );
}

function describePlace({ target, sandbox, place }: PreparedScript): string {
  if (target === "host") return "on the host, without a sandbox";
  const where = place === undefined ? "" : ` on ${showName(place)}`;
  if (sandbox === "none") return `without a sandbox${where}`;
  return `${sandbox === undefined ? "in a sandbox" : `in the sandbox ${showName(sandbox)}`}${where}`;
}

function describeError(error: unknown, signal: AbortSignal | undefined): RecordedError {
  if (SkilletError.isInstance(error)) return { code: error.code, message: error.message };
  if (signal?.aborted === true)
    return { code: "script_cancelled", message: "It was cancelled before it ran." };
  return { code: "unknown", message: error instanceof Error ? error.message : String(error) };
}

/** What is recorded: never what the script wrote, and no secrets. */
function recordAttempt(
  { secrets }: SessionState,
  { name, listed }: ScriptRequest,
  attempt: Attempt,
  result: ScriptOutcome | ScriptRefusal | RecordedError,
): ScriptExecutionRecord {
  const { skill, path, args, target, runtime, indexed, resourcePath, treeDigest, tree } = attempt;
  const redact = (text: string): string => secrets.redact(text);
  const observed = tree?.observed;
  const known = {
    kind: "script-execution",
    skillName: skill?.qualifiedName ?? textOf(name),
    path,
    ...(listed !== undefined && { tool: listed.tool }),
    ...(skill !== undefined && placeOf(skill)),
    ...(args !== undefined && { args: args.map(redact) }),
    ...(target !== undefined && { executionTarget: target }),
    ...(runtime !== undefined && { runtime }),
    ...(resourcePath !== undefined && { resourcePath }),
    ...(treeDigest !== undefined && { treeDigest }),
    ...(indexed !== undefined && { registryDigest: indexed.digest, registrySizeBytes: indexed.size }),
    ...(indexed !== undefined &&
      observed !== undefined && {
        observedDigest: observed.digest,
        observedSizeBytes: observed.size,
        digestMatchesRegistry: observed.digest === indexed.digest && observed.size === indexed.size,
      }),
  } as const;
  if (!("sandbox" in result)) {
    const error = { code: result.code, message: showLine(redact(result.message)) };
    return { ...known, status: "error", diagnostics: [], error };
  }
  const { status, exitCode, durationMs, signal, truncated, sandbox, grants, limit } = result;
  return {
    ...known,
    status: "executed",
    outcome: status,
    argv: result.argv.map(redact),
    cwd: result.cwd,
    // What another's runner gives must not cost the record.
    ...(Number.isSafeInteger(exitCode) && { exitCode: exitCode as number }),
    ...(signal !== undefined && { signal }),
    timedOut: status === "timed-out",
    cancelled: status === "cancelled",
    truncated,
    ...(limit !== undefined && { limit }),
    sandbox,
    ...(grants !== undefined && { grants }),
    ...(durationMs >= 0 && Number.isFinite(durationMs) && { durationMs: Math.round(durationMs) }),
    diagnostics: result.diagnostics,
  };
}
