import type { Digest } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { quoteName, showName } from "@skillet/kit/text";
import { policyNames } from "../../config/policy-matcher.ts";
import type { Decision } from "../../policy/decision.ts";
import type { ResourceIndex } from "../../registry/resource.ts";
import type { Skill } from "../../registry/skill.ts";
import type { SessionCore } from "../equip-session.ts";
import type { RecordedError } from "../records/session-record.ts";
import {
  isRefusal,
  type PreparedScript,
  type RunOptions,
  refuse,
  type ScriptRefusal,
  type ScriptRun,
  type ScriptRunner,
  type ScriptTarget,
  type ToolScript,
} from "../script-runner.ts";
import { checkTrust } from "../skill-reader.ts";
import { checkScriptCall, findScript, type IndexedScript } from "./check-script-call.ts";
import { showScript } from "./script-allowlist.ts";
import { type RanScript, ScriptAttempt, VerifiedTree } from "./script-attempt.ts";
import { startScript } from "./start-script.ts";

/** Tier 3: the scripts of skills. Each gate is passed in its turn, and what comes of it is recorded. */
export class SkillScripts {
  readonly #core: SessionCore;
  readonly #answers = new RememberedAnswers();

  constructor(core: SessionCore) {
    this.#core = core;
  }

  get allowed(): readonly string[] {
    const { runner, allowlist } = this.#core.scriptFrame;
    return runner === undefined
      ? []
      : [...new Set([...allowlist.written("sandbox"), ...allowlist.written("host")])];
  }

  /** Where a script of a skill may run, by the operator's list alone. */
  targetOf(skill: Skill, path: string): ScriptTarget | undefined {
    const { runner, allowlist } = this.#core.scriptFrame;
    return runner === undefined ? undefined : allowlist.targetOf(skill, path);
  }

  decide(skill: Skill, path: string): Decision {
    const [name, ...others] = this.#core.scriptFrame.allowlist.namesOf(skill);
    const toValue = (one: string): string => showScript({ skill: one, path });
    return this.#core.gate.decideScript(skill, {
      own: [toValue(name), ...others.map(toValue)],
      shared: policyNames(skill).map(toValue),
    });
  }

  /** @param listed The tool that is called by this, whose skill and files are the only ones that will do. */
  async run(
    name: string,
    path: string,
    args: readonly string[],
    options: RunOptions,
    listed?: ToolScript,
  ): Promise<ScriptRun> {
    const { recorder, secrets } = this.#core;
    const attempt = new ScriptAttempt({ name, path, tool: listed?.tool }, (text) => secrets.redact(text));
    let result: RanScript | ScriptRefusal;
    try {
      result = await this.#attempt(attempt, name, { path, args, options, listed });
    } catch (error) {
      await recorder.append(attempt.toRecord(describeError(error, options.signal)));
      throw error;
    }
    await recorder.append(attempt.toRecord(result));
    return attempt.toRun(result);
  }

  async #attempt(
    attempt: ScriptAttempt,
    name: string,
    asked: {
      readonly path: string;
      readonly args: readonly string[];
      readonly options: RunOptions;
      readonly listed: ToolScript | undefined;
    },
  ): Promise<RanScript | ScriptRefusal> {
    const { options } = asked;
    const { reader, recorder, dependencies } = this.#core;
    const { runner, defaultTimeoutMs, workspace, protect } = this.#core.scriptFrame;
    const call = checkScriptCall(asked.path, asked.args, options, defaultTimeoutMs);
    if (isRefusal(call)) return call;
    const { path } = call;
    attempt.path = path;
    attempt.args = call.args;
    if (runner === undefined) return RUNNER_MISSING;
    const skill = asked.listed?.skill ?? this.#find(name);
    if (isRefusal(skill)) return skill;
    attempt.skill = skill;
    const target = this.#admit(skill, path);
    if (typeof target !== "string") return target;
    attempt.target = target;
    const index = await this.#freeze(skill);
    if (isRefusal(index)) return index;
    const script = await findScript(skill, path, index, reader);
    if (isRefusal(script)) return script;
    attempt.indexed = script;
    attempt.resourcePath = reader.toolPath(skill, path);
    const distrust = await this.#checkTrust(skill, index);
    if (distrust !== undefined) return distrust;
    const treeDigest = this.#checkLoaded(skill, index);
    if (typeof treeDigest !== "string") return treeDigest;
    if (asked.listed !== undefined && asked.listed.treeDigest !== treeDigest)
      return mismatch(skill, "its files are not those that the tool was listed with");
    attempt.treeDigest = treeDigest;
    const tree = new VerifiedTree({
      index: { ...index, treeDigest },
      skillFile: skill.source.file,
      entry: path,
      read: () => reader.readTree(skill, pickSignal(options)),
    });
    attempt.tree = tree;
    const prepared = await this.#prepare(runner, { skill, script, target, treeDigest, tree });
    if (isRefusal(prepared)) return prepared;
    attempt.runtime = prepared.runtime;
    const denial = await this.#permit(skill, path, { prepared, treeDigest, signal: options.signal });
    if (denial !== undefined) return denial;
    const late = this.#checkStill(skill, treeDigest);
    if (late !== undefined) return late;
    const secrets = dependencies.valuesFor(skill.qualifiedName);
    const result = await startScript(prepared, {
      call,
      file: attempt.resourcePath,
      ...pickSignal(options),
      onOutput: options.onOutput,
      frame: { workspace, protect, secrets, runId: recorder.runId },
    });
    if (isRefusal(result)) return result;
    return { ...result, runtime: prepared.runtime, target, digest: script.digest, treeDigest };
  }

  #find(name: unknown): Skill | ScriptRefusal {
    if (typeof name !== "string")
      return refuse("skill_not_found", "The name of the skill is no text; pass the name of a loaded skill.");
    const active = this.#core.activations.find(name);
    if (active !== undefined) return active;
    try {
      return this.#core.skills.resolve(name, "model");
    } catch (error) {
      if (!SkilletError.isInstance(error)) throw error;
      // Its candidates are skills that may be told about; every other error reads like a skill that does not exist.
      const message =
        error.code === "skill-ambiguous" ? error.message : `There is no skill ${quoteName(name)} here.`;
      return refuse("skill_not_found", message);
    }
  }

  // Before anything is said about files, so that nobody can find out what there is.
  #admit(skill: Skill, path: string): ScriptTarget | ScriptRefusal {
    const { qualifiedName } = skill;
    const shown = showName(showScript({ skill: qualifiedName, path }));
    if (!this.#core.activations.isActive(skill)) return notActivated(skill);
    return (
      this.#core.scriptFrame.allowlist.targetOf(skill, path) ??
      refuse(
        "script_not_allowlisted",
        `${shown} is not among the scripts that may run here; only whoever runs the agent can allow it.`,
      )
    );
  }

  async #freeze(skill: Skill): Promise<ResourceIndex | ScriptRefusal> {
    try {
      return await this.#core.frozen.get(skill);
    } catch (error) {
      if (SkilletError.isInstance(error)) return mismatch(skill, error.message);
      throw error;
    }
  }

  async #checkTrust(skill: Skill, index: ResourceIndex): Promise<ScriptRefusal | undefined> {
    try {
      const [changed] = await checkTrust(skill, index, this.#core.reader);
      return changed && refuse("skill_not_trusted", `${changed.message} ${changed.hint ?? ""}`.trim());
    } catch (error) {
      if (SkilletError.isInstance(error)) return refuse("skill_not_trusted", error.message);
      throw error;
    }
  }

  // A resumed run freezes when it first looks; what it looks at must be what it had loaded.
  #checkLoaded(skill: Skill, { treeDigest, diagnostics }: ResourceIndex): Digest | ScriptRefusal {
    if (treeDigest === undefined) {
      const fault = diagnostics.find(({ severity }) => severity === "error");
      const why = `${showName(fault?.file ?? "?")}: ${fault?.message} ${fault?.hint ?? ""}`.trim();
      return refuse(
        "script_snapshot_mismatch",
        `${showName(skill.qualifiedName)} has no digest by which it could be checked, and nothing was run. ${why}`,
      );
    }
    if (this.#core.activations.isLoadedFrom(skill, treeDigest)) return treeDigest;
    return mismatch(skill, "its files are not those that were loaded");
  }

  async #prepare(
    runner: ScriptRunner,
    verified: {
      readonly skill: Skill;
      readonly script: IndexedScript;
      readonly target: ScriptTarget;
      readonly treeDigest: Digest;
      readonly tree: VerifiedTree;
    },
  ): Promise<PreparedScript | ScriptRefusal> {
    const { skill, script, target, treeDigest, tree } = verified;
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
  async #permit(
    skill: Skill,
    path: string,
    verified: {
      readonly prepared: PreparedScript;
      readonly treeDigest: Digest;
      readonly signal: AbortSignal | undefined;
    },
  ): Promise<ScriptRefusal | undefined> {
    const { prepared, treeDigest, signal } = verified;
    const { qualifiedName } = skill;
    const { outcome, reason, rule } = this.decide(skill, path);
    if (outcome === "allow") return undefined;
    const shown = showName(showScript({ skill: qualifiedName, path }));
    if (outcome === "ask") {
      const subject = JSON.stringify([qualifiedName, path, treeDigest, prepared.target]);
      const what = `${shown} wants to run with ${prepared.runtime} ${describePlace(prepared)}`;
      const question = {
        kind: "script",
        skill: qualifiedName,
        digest: treeDigest,
        reason: `${what}: ${reason}`,
      } as const;
      const answer = this.#answers.ask(subject, () => this.#core.ask(question));
      const isYes = await untilAborted(answer, signal);
      this.#core.checkOpen();
      // A yes answers this question; what was denied while it was thought about stays denied.
      const now = this.decide(skill, path);
      if (now.outcome === "deny") return denied(shown, now);
      if (isYes) return undefined;
    }
    return denied(shown, { outcome, reason, ...(rule !== undefined && { rule }) });
  }

  // Staging takes its time and a person thinks: nothing runs for a session that ended or a skill that was dropped.
  #checkStill(skill: Skill, treeDigest: Digest): ScriptRefusal | undefined {
    this.#core.checkOpen();
    if (!this.#core.activations.isActive(skill)) return notActivated(skill);
    return this.#core.activations.isLoadedFrom(skill, treeDigest)
      ? undefined
      : mismatch(skill, "its files are not those that were loaded");
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

function pickSignal({ signal }: RunOptions): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

/** A person's answers about exactly one thing each: a yes holds for the session, a no for those who wait for it. */
class RememberedAnswers {
  readonly #answers = new Map<string, Promise<boolean>>();

  /** The answer to a question that was answered, or is being asked; else asks it. */
  async ask(subject: string, ask: () => Promise<boolean>): Promise<boolean> {
    const known = this.#answers.get(subject);
    if (known !== undefined) return known;
    const asked = ask();
    this.#answers.set(subject, asked);
    let isYes = false;
    try {
      isYes = await asked;
      return isYes;
    } finally {
      if (!isYes) this.#answers.delete(subject);
    }
  }
}

/** Waits for something, but no longer than a signal lets; then throws the signal's reason. */
async function untilAborted<Result>(
  promise: Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (signal === undefined) return promise;
  signal.throwIfAborted();
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    if (stop !== undefined) signal.removeEventListener("abort", stop);
  }
}
