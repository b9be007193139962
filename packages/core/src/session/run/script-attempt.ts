import type { Digest } from "@skillet/kit/digest";
import { showLine } from "@skillet/kit/text";
import type { Resource } from "../../registry/resource.ts";
import type { Skill } from "../../registry/skill.ts";
import { placeOf } from "../records/place-of.ts";
import type { RecordedError, ScriptExecutionRecord } from "../records/session-record.ts";
import type { ScriptRefusal } from "./script-refusal.ts";
import type { ExecutedScript, ScriptRun } from "./script-run.ts";
import type { ScriptOutcome, ScriptTarget } from "./script-runner.ts";
import type { VerifiedTree } from "./verified-tree.ts";

/** How a script ran, and which it was. */
export type RanScript = ScriptOutcome & Pick<ExecutedScript, "runtime" | "target" | "digest" | "treeDigest">;

/** What is known about a wish to run a script, gate by gate; whatever comes of it, this much can be told and recorded. */
export class ScriptAttempt {
  /** As the caller named it, until it is known which skill is meant. */
  readonly #name: string;
  readonly #tool: string | undefined;
  readonly #redact: (text: string) => string;
  path: string;
  args: readonly string[] | undefined;
  skill: Skill | undefined;
  target: ScriptTarget | undefined;
  /** The script in the frozen index, and as the agent's tools see it. */
  indexed: Resource | undefined;
  resourcePath: string | undefined;
  treeDigest: Digest | undefined;
  tree: VerifiedTree | undefined;
  runtime: string | undefined;

  /** @param redact Takes secrets out of what is recorded. */
  constructor(
    asked: { readonly name: unknown; readonly path: unknown; readonly tool: string | undefined },
    redact: (text: string) => string,
  ) {
    this.#name = textOf(asked.name);
    this.#tool = asked.tool;
    this.path = textOf(asked.path);
    this.#redact = redact;
  }

  /** What the caller is told. */
  toRun(result: RanScript | ScriptRefusal): ScriptRun {
    const asked = {
      type: "skillet.run-skill-script-output",
      skill: this.skill?.qualifiedName ?? this.#name,
      path: this.path,
    } as const;
    // Runners and sources write refusals too, and put names of files into them.
    return result.status === "refused"
      ? { ...asked, ...result, message: showLine(result.message) }
      : { ...asked, ...result };
  }

  /** What is recorded: never what the script wrote. */
  toRecord(result: ScriptOutcome | ScriptRefusal | RecordedError): ScriptExecutionRecord {
    const known = this.#describe();
    if (!("sandbox" in result)) {
      const { code, message } = result;
      const error = { code, message: showLine(this.#redact(message)) };
      return { ...known, status: "error", diagnostics: [], error };
    }
    const { status, exitCode, durationMs } = result;
    const { signal, truncated, sandbox, grants, limit, argv, cwd, diagnostics } = result;
    return {
      ...known,
      status: "executed",
      outcome: status,
      argv: argv.map((text) => this.#redact(text)),
      cwd,
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
      diagnostics,
    };
  }

  #describe(): Omit<ScriptExecutionRecord, "status" | "diagnostics"> {
    const { skill, path, args, target, runtime, indexed, resourcePath, treeDigest } = this;
    const observed = this.tree?.observed;
    return {
      kind: "script-execution",
      skillName: skill?.qualifiedName ?? this.#name,
      path,
      ...(this.#tool !== undefined && { tool: this.#tool }),
      ...(skill !== undefined && placeOf(skill)),
      ...(args !== undefined && { args: args.map((text) => this.#redact(text)) }),
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
    };
  }
}

// What a model passes can be an object that makes no text of itself.
function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
