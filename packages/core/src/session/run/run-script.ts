import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { type Diagnostic, diagnostic } from "@skillet/kit/diagnostics";
import { type Digest, digestBytes } from "@skillet/kit/digest";
import { onRefusal, SkilletError } from "@skillet/kit/errors";
import { writeAtomic } from "@skillet/kit/files";
import { present } from "@skillet/kit/json";
import { quoteName, showLine, showName } from "@skillet/kit/text";
import { type Answer, unlessAborted } from "../../ask.ts";
import type { ResourceIndex } from "../../registry/resource.ts";
import type { Skill } from "../../registry/skill.ts";
import { findActive, isActive, isLoadedFrom } from "../active-skills.ts";
import { textOrNothing } from "../model-input.ts";
import { placeOf, type RecordedError, type ScriptExecutionRecord } from "../records/session-record.ts";
import {
  type ExecutedScript,
  isRefusal,
  type PreparedScript,
  type RunOptions,
  refuse,
  type ScriptCall,
  type ScriptOutcome,
  type ScriptOutputListener,
  type ScriptRefusal,
  type ScriptRun,
  type ScriptRunner,
  type ScriptToRun,
} from "../script-runner.ts";
import { presentSkill, resolveFor } from "../skill-access.ts";
import { checkTrust, frozenIndex } from "../skill-reader.ts";
import { checkOpen, type Judged, type SessionState } from "../state.ts";
import { checkScriptCall, findScript } from "./check-script-call.ts";
import { permitScript, preflightScript } from "./permit-script.ts";
import { showScript } from "./script-allowlist.ts";
import { VerifiedTree } from "./verified-tree.ts";

export interface ScriptRequest {
  readonly name: unknown;
  readonly path: unknown;
  readonly args: unknown;
  readonly options: RunOptions;
  /** The user's answer to the question that this call raised before. */
  readonly approval?: Answer | undefined;
  /** The tool that makes the call; the skill and its files must be those that it was listed with. */
  readonly listed?: { readonly tool: string; readonly skill: Skill; readonly treeDigest: Digest };
}

/** The record of the call, filled in as checks pass. */
type Draft = { -readonly [Field in keyof ScriptExecutionRecord]?: ScriptExecutionRecord[Field] } & {
  skillName: string;
  path: string;
};

export function runScript(session: SessionState, request: ScriptRequest): Promise<ScriptRun> {
  const { running, ending } = session;
  const signal = AbortSignal.any([
    ending.signal,
    ...(request.options.signal ? [request.options.signal] : []),
  ]);
  const started = (): unknown => running.add(run);
  const run = recordRun(session, { ...request, options: { ...request.options, signal } }, started);
  const ended = (): unknown => running.delete(run);
  run.then(ended, ended);
  return run;
}

async function recordRun(
  session: SessionState,
  request: ScriptRequest,
  started: () => unknown,
): Promise<ScriptRun> {
  const { name, path: givenPath, options, listed } = request;
  const draft: Draft = {
    skillName: textOrNothing(name),
    path: textOrNothing(givenPath),
    ...(listed !== undefined && { tool: listed.tool }),
  };
  let result: Awaited<ReturnType<typeof attemptScript>>;
  try {
    result = await attemptScript(session, request, draft, started);
  } catch (error) {
    await session.recorder.append(refusedRecord(session, draft, describeError(error, options.signal)));
    throw error;
  }
  const { recorder } = session;
  const { skillName: skill, path } = draft;
  const asked = { type: "skillet.run-skill-script-output", skill, path } as const;
  if (isRefusal(result)) {
    await recorder.append(refusedRecord(session, draft, result));
    // Runners and sources put file names into their refusals, so these are cleaned.
    return { ...asked, ...result, message: showLine(result.message) };
  }
  try {
    await keepOutput(session, draft, result);
  } finally {
    // The run is recorded even if there is no room for its output.
    await recorder.append(executedRecord(session, draft, result));
  }
  return { ...asked, ...result };
}

// The end of each stream is kept, since that is where failures are explained.
const MAX_KEPT_CHARACTERS = 256 * 1024;

/** If the host wants it, the output goes to a file of its own, without secrets; the record names it. */
async function keepOutput(
  { recorder: { runFolder }, options, secrets }: SessionState,
  draft: Draft,
  { stdout, stderr, truncated }: ScriptOutcome,
): Promise<void> {
  if (options.recordOutput !== true || runFolder === undefined) return;
  const isCut = (text: string): boolean => text.length > MAX_KEPT_CHARACTERS;
  // Redacted before the cut, which could leave half of a secret.
  const lastPart = (text: string): string => secrets.redact(text).slice(-MAX_KEPT_CHARACTERS);
  const kept = {
    type: "skillet.script-output",
    truncated: { stdout: truncated.stdout || isCut(stdout), stderr: truncated.stderr || isCut(stderr) },
    stdout: lastPart(stdout),
    stderr: lastPart(stderr),
  };
  const content = Buffer.from(`${JSON.stringify(kept, undefined, 2)}\n`);
  const outputFile = `script-output-${randomUUID()}.json`;
  await writeAtomic(join(runFolder, outputFile), content, { mode: 0o600, links: "refuse" });
  Object.assign(draft, { outputFile, outputDigest: digestBytes(content) });
}

/** The decision about a call; nothing is run, asked or recorded. */
export async function preflightRun(
  session: SessionState,
  request: ScriptRequest,
): Promise<Judged | ScriptRefusal> {
  const staged = await stageScript(session, request, { skillName: "", path: "" });
  return isRefusal(staged) ? staged : preflightScript(session, staged);
}

async function attemptScript(
  session: SessionState,
  request: ScriptRequest,
  draft: Draft,
  started: () => unknown,
): Promise<Omit<ExecutedScript, "type" | "skill" | "path"> | ScriptRefusal> {
  const { options, approval } = request;
  const staged = await unlessAborted(stageScript(session, request, draft), options.signal);
  if (isRefusal(staged)) return staged;
  const { skill, call, index, runner, target, prepared, file, digest, treeDigest } = staged;
  const { runtime } = prepared;
  const denial = await permitScript(session, staged, { signal: options.signal, approval });
  if (denial !== undefined) return denial;
  // Staging and users take time: nothing runs for a session that ended or a skill that was dropped.
  checkOpen(session);
  const present = presentSkill(session, skill);
  if (present === undefined || !isActive(session, present)) return refused("skill-not-activated", skill);
  if (session.runner !== runner || session.allowlist.targetOf(present, call.path) !== target)
    return refused("script-not-allowlisted", present, call.path);
  const stillLoaded = checkLoaded(session, present, index);
  if (typeof stillLoaded !== "string") return stillLoaded;
  const { path: _path, ...given } = call;
  const { workspace, protect } = session;
  const { runId } = session.recorder;
  const frame = { workspace, protect, secrets: session.secrets.valuesFor(present), runId };
  started();
  const result = await start(prepared, { ...given, ...frame }, file, options);
  return isRefusal(result) ? result : { ...result, runtime, target, digest, treeDigest };
}

async function stageScript(
  session: SessionState,
  { name, path: givenPath, args, options, listed }: ScriptRequest,
  draft: Draft,
) {
  const { reader, runner, config } = session;
  const call = checkScriptCall(givenPath, args, options, {
    defaultTimeoutMs: config.skills.scriptTimeout,
    workspace: session.workspace,
  });
  if (isRefusal(call)) return call;
  const { path } = call;
  Object.assign(draft, { path, args: call.args });
  if (runner === undefined)
    return refuse(
      "script-runner-missing",
      "This session runs no scripts: it was opened without a runner, or is a fork that was given none.",
    );
  const skill =
    listed === undefined
      ? await findLoaded(session, name)
      : (presentSkill(session, listed.skill) ?? listed.skill);
  if (isRefusal(skill)) return skill;
  Object.assign(draft, placeOf(skill), { skillName: skill.qualifiedName });
  // Before anything is said about files, so that refusals do not reveal which files exist.
  if (!isActive(session, skill)) return refused("skill-not-activated", skill);
  const target = session.allowlist.targetOf(skill, path);
  if (target === undefined) return refused("script-not-allowlisted", skill, path);
  draft.executionTarget = target;
  const index = await onRefusal(frozenIndex(session, skill), ({ message }) => mismatch(skill, message));
  if (isRefusal(index)) return index;
  const script = await findScript(skill, path, index, reader);
  if (isRefusal(script)) return script;
  const { digest, size } = script;
  const file = reader.toolPath(skill, path);
  Object.assign(draft, { registryDigest: digest, registrySizeBytes: size, resourcePath: file });
  const distrust = await findDistrust(session, skill, index);
  if (distrust !== undefined) return distrust;
  const treeDigest = checkLoaded(session, skill, index);
  if (typeof treeDigest !== "string") return treeDigest;
  if (listed !== undefined && listed.treeDigest !== treeDigest) return refused("tool-outdated", skill);
  draft.treeDigest = treeDigest;
  const tree = new VerifiedTree({
    index: { ...index, treeDigest },
    skillFile: skill.source.file,
    read: () => reader.readTree(skill, options.signal === undefined ? {} : { signal: options.signal }),
    onFile: (now) => {
      if (now.path !== path) return;
      draft.observedDigest = now.digest;
      draft.observedSizeBytes = now.size;
      draft.digestMatchesRegistry = now.digest === digest && now.size === size;
    },
  });
  const prepared = await stage(runner, tree, {
    skill: { name: skill.name, qualifiedName: skill.qualifiedName, treeDigest },
    path,
    facts: script.script,
    target,
  });
  if (typeof prepared === "string") return mismatch(skill, prepared);
  if (isRefusal(prepared)) return prepared;
  draft.runtime = prepared.runtime;
  return { skill, call, index, runner, target, prepared, file, digest, treeDigest };
}

async function findLoaded(session: SessionState, name: unknown): Promise<Skill | ScriptRefusal> {
  if (typeof name !== "string")
    return refuse("skill-not-found", "The name of the skill is not text; pass the name of a loaded skill.");
  const resolve = async (): Promise<Skill> => findActive(session, name) ?? resolveFor(session, name, "model");
  return onRefusal(resolve(), ({ code, message }) =>
    // Its candidates may be named; every other error reads like a skill that does not exist.
    refuse(
      "skill-not-found",
      code === "skill-ambiguous" ? message : `There is no skill ${quoteName(name)} here.`,
    ),
  );
}

function findDistrust(
  session: SessionState,
  skill: Skill,
  index: ResourceIndex,
): Promise<ScriptRefusal | undefined> {
  const found = checkTrust(session, skill, index).then(
    ([changed]) => changed && refuse("skill-not-trusted", changed.message),
  );
  return onRefusal(found, ({ message }) => refuse("skill-not-trusted", message));
}

// A resumed run freezes on first access; what it then finds must be what it had loaded.
function checkLoaded(
  session: SessionState,
  skill: Skill,
  { treeDigest, diagnostics }: ResourceIndex,
): Digest | ScriptRefusal {
  if (treeDigest === undefined) {
    const fault = diagnostics.find(({ severity }) => severity === "error");
    const why = `${showName(fault?.file ?? "?")}: ${fault?.message} ${fault?.hint ?? ""}`.trim();
    return refuse(
      "script-snapshot-mismatch",
      `${showName(skill.qualifiedName)} has no digest by which it could be checked, and nothing was run. ${why}`,
    );
  }
  if (isLoadedFrom(session, skill, treeDigest)) return treeDigest;
  return mismatch(skill, "its files are not those that were loaded");
}

/** Has the runner stage the files; returns the first difference from what was loaded, as text. */
async function stage(
  runner: ScriptRunner,
  tree: VerifiedTree,
  script: Omit<ScriptToRun, "files">,
): Promise<PreparedScript | ScriptRefusal | string> {
  try {
    const files = { [Symbol.asyncIterator]: () => tree[Symbol.asyncIterator]() };
    const prepared = await runner.prepare({ ...script, files });
    // A runner that has this tree already, or refuses early, need not have read the files.
    if (tree.difference === undefined) await tree.verify();
    return tree.difference ?? prepared;
  } catch (error) {
    if (tree.difference !== undefined) return tree.difference;
    throw error;
  }
}

async function start(
  prepared: PreparedScript,
  call: Omit<ScriptCall, "signal" | "onOutput">,
  file: string,
  { signal, onOutput }: RunOptions,
): Promise<ScriptOutcome | ScriptRefusal> {
  const relay = onOutput && relayTo(onOutput);
  const result = await prepared.run({ ...call, signal, ...(relay && { onOutput: relay.listener }) });
  if (isRefusal(result)) return result;
  const own = [...warnUnconfined(result, file), ...(relay?.diagnostics(file) ?? [])];
  return { ...result, diagnostics: [...result.diagnostics, ...own] };
}

function warnUnconfined({ sandbox, diagnostics }: ScriptOutcome, file: string): readonly Diagnostic[] {
  const isKnown = diagnostics.some(({ code }) => code === "script-unconfined");
  if (sandbox.strength !== "none" || isKnown) return [];
  const message = `The script ran without a sandbox (${sandbox.backend}): it could do all that this process can.`;
  const hint = "Let it run in a sandbox unless it cannot work there.";
  return [diagnostic("warning", "script-unconfined", file, message, hint)];
}

/** Passes output on to the host; a listener that fails is not called again and affects nothing else. */
function relayTo(listener: ScriptOutputListener): {
  readonly listener: ScriptOutputListener;
  diagnostics(file: string): readonly Diagnostic[];
} {
  const failures: unknown[] = [];
  return {
    listener: (stream, bytes) => {
      if (failures.length > 0) return;
      try {
        const given: unknown = listener(stream, bytes);
        // An async function also fits the type, and its rejection would be unhandled.
        if (given instanceof Promise) given.catch((reason: unknown) => failures.push(reason));
      } catch (reason) {
        failures.push(reason);
      }
    },
    diagnostics: (file) =>
      failures.slice(0, 1).map((reason) => {
        const message = `The host's onOutput failed, and was not called again: ${reason instanceof Error ? reason.message : String(reason)}`;
        const hint = "Handle errors inside onOutput; the output is in the result.";
        return diagnostic("warning", "script-output-unheard", file, message, hint);
      }),
  };
}

/** How a refusal continues after the name of the skill or the script. */
const REFUSED = {
  "skill-not-activated": "is not loaded in this session; load it first, then run its scripts",
  "script-not-allowlisted":
    "is not among the scripts that may run here; only the operator of the agent can allow it",
  "tool-outdated": "has changed since this tool was listed, and the tool with it; go on without it",
} as const;

function refused(code: keyof typeof REFUSED, { qualifiedName: skill }: Skill, path?: string): ScriptRefusal {
  const shown = path === undefined ? skill : showScript({ skill, path });
  return refuse(code, `${showName(shown)} ${REFUSED[code]}.`);
}

function mismatch({ qualifiedName }: Skill, difference: string): ScriptRefusal {
  return refuse(
    "script-snapshot-mismatch",
    `${showName(qualifiedName)} is not what it was when it was loaded, and nothing was run: ${difference}. Load it again, and look at the change.`,
  );
}

function describeError(error: unknown, signal: AbortSignal | undefined): RecordedError {
  if (SkilletError.isInstance(error)) return { code: error.code, message: error.message };
  if (signal?.aborted === true)
    return { code: "script-cancelled", message: "It was cancelled before it ran." };
  return { code: "unknown", message: error instanceof Error ? error.message : String(error) };
}

function refusedRecord(
  session: SessionState,
  draft: Draft,
  { code, message }: RecordedError,
): ScriptExecutionRecord {
  const error = { code, message: showLine(session.secrets.redact(message)) };
  return { ...commonRecord(session, draft), status: "error", diagnostics: [], error };
}

// Never the script's output, and no secrets.
function executedRecord(session: SessionState, draft: Draft, result: ScriptOutcome): ScriptExecutionRecord {
  const { status, cwd, exitCode, durationMs, truncated, sandbox, diagnostics } = result;
  return {
    ...commonRecord(session, draft),
    status: "executed",
    outcome: status,
    argv: result.argv.map((text) => session.secrets.redact(text)),
    cwd,
    truncated,
    sandbox,
    diagnostics,
    timedOut: status === "timed-out",
    cancelled: status === "cancelled",
    // A record must not fail because of what a host's own runner returns.
    ...(Number.isSafeInteger(exitCode) && { exitCode: exitCode as number }),
    ...present({ signal: result.signal, limit: result.limit, grants: result.grants }),
    ...(durationMs >= 0 && Number.isFinite(durationMs) && { durationMs: Math.round(durationMs) }),
  };
}

function commonRecord(
  { secrets }: SessionState,
  draft: Draft,
): Draft & { readonly kind: "script-execution" } {
  const { args } = draft;
  return {
    kind: "script-execution",
    ...draft,
    ...(args !== undefined && { args: args.map((text) => secrets.redact(text)) }),
  };
}
