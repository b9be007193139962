import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Digest } from "@skillet/kit/digest";
import type { Question } from "../ask.ts";
import type { TreeFile } from "../registry/read-tree.ts";
import type { ScriptFacts } from "../registry/resource.ts";

/** Where a script runs: in the runner's sandbox or, if a profile says so, directly on the host. */
export type ScriptTarget = "sandbox" | "host";

/** A script that passed its session's checks; its files are verified as they are read. */
export interface ScriptToRun {
  readonly skill: {
    readonly name: string;
    readonly qualifiedName: string;
    readonly treeDigest: Digest;
  };
  readonly path: string;
  readonly facts: ScriptFacts;
  readonly target: ScriptTarget;
  /**
   * Every file of the skill, in byte order of path, each compared with the snapshot before it is yielded. A
   * runner must read to the end: only then is the tree known to be complete. Throws at the first difference,
   * and can be iterated more than once.
   */
  readonly files: AsyncIterable<TreeFile>;
}

/** The call of a prepared script. */
export interface ScriptCall {
  readonly args: readonly string[];
  readonly cwd: "workspace" | "skill";
  /**
   * A folder of the workspace to start in instead; a runner checks again that no link leads out of it.
   */
  readonly folder?: string;
  /** Canonical and on this machine; absent if the host has none, and then an empty folder replaces it. */
  readonly workspace?: string;
  /** Folders in the workspace that stay read-only whatever is granted, such as the run's records. */
  readonly protect: readonly string[];
  readonly timeoutMs: number;
  readonly stdin?: Uint8Array;
  /** Values of variables that the skill declares; the runner redacts them in the output. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly runId: string;
  readonly signal?: AbortSignal | undefined;
  readonly onOutput?: ScriptOutputListener;
}

/** Receives a script's output while it runs. */
export type ScriptOutputListener = (stream: "stdout" | "stderr", bytes: Uint8Array) => void;

/** How a script was confined in one run; strings are for display. */
export interface SandboxReport {
  /** One of `bubblewrap`, `seatbelt`, `docker`, `ssh`, `none`, `host`. */
  readonly backend: string;
  /** The machine it ran on, if not this one: `user@host`, or a container's image. */
  readonly place?: string;
  /** Full: everything below holds. Reduced: `weaknesses` names the parts that do not. None: nothing holds. */
  readonly strength: "full" | "reduced" | "none";
  readonly weaknesses: readonly string[];
  readonly memoryLimit: "tree" | "process" | "none";
}

/** The grants of one run; strings are for display. */
export interface ScriptGrants {
  readonly network: readonly string[];
  readonly writable: readonly string[];
}

/** The result of a run. */
export interface ScriptOutcome {
  readonly status: "executed" | "timed-out" | "cancelled";
  readonly exitCode?: number;
  readonly signal?: string;
  /** Safe to show: without secrets, and without control characters other than tabs and line ends. */
  readonly stdout: string;
  readonly stderr: string;
  /** Streams longer than their cap; their head and tail are kept, with a line between that says so. */
  readonly truncated: { readonly stdout: boolean; readonly stderr: boolean };
  readonly sandbox: SandboxReport;
  readonly durationMs: number;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly grants?: ScriptGrants;
  readonly limit?: "memory" | "cpu" | "file-size" | "output";
  readonly diagnostics: readonly Diagnostic[];
}

/** A script whose files are staged and whose interpreter is known; nothing has run yet. */
export interface PreparedScript {
  /** The interpreter's name: `bash`, `python`, `node`. */
  readonly runtime: string;
  readonly target: ScriptTarget;
  /** For the question to the user: `bubblewrap`, `none`. */
  readonly sandbox?: string;
  readonly place?: string;
  /** Runs the script; if its sandbox cannot be set up, it is refused and nothing has run. */
  run(call: ScriptCall): Promise<ScriptOutcome | ScriptRefusal>;
}

/**
 * Runs scripts for a session; `createRunner` of `@skillet/run` makes one, and without it scripts are refused.
 *
 * @example
 * const runner = createRunner({ allow: ["pdf-forms:scripts/fill.py"] });
 * const session = await skills.session({ runner });
 */
export interface ScriptRunner {
  /** The operator's list: exactly `skill:scripts/path`, by name or qualified name. */
  readonly allow: readonly string[];
  prepare(script: ScriptToRun): Promise<PreparedScript | ScriptRefusal>;
}

/** Options for a script call. */
export interface RunOptions {
  /** The working directory: `workspace`, `skill`, or a folder such as `./labs`; default: the workspace. */
  readonly cwd?: string | undefined;
  /** Default: from the configuration; at most ten minutes. */
  readonly timeoutMs?: number | undefined;
  readonly stdin?: string | Uint8Array | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onOutput?: ScriptOutputListener | undefined;
}

/** A script that ran, successfully or not. */
export interface ExecutedScript extends ScriptOutcome {
  readonly type: "skillet.run-skill-script-output";
  /** Qualified once it is known which skill is meant. */
  readonly skill: string;
  readonly path: string;
  readonly runtime: string;
  readonly target: ScriptTarget;
  readonly digest: Digest;
  readonly treeDigest: Digest;
}

/** The result of a script call: the script ran, or the reason why not. */
export type ScriptRun = ExecutedScript | (Pick<ExecutedScript, "type" | "skill" | "path"> & ScriptRefusal);

/** Why a script was not run, in the order of the checks. */
export type ScriptRefusalCode =
  | "script-path-invalid"
  | "script-arguments-invalid"
  | "script-runner-missing"
  | "skill-not-found"
  | "skill-not-activated"
  | "script-not-allowlisted"
  | "script-not-indexed"
  | "resource-not-script"
  | "script-not-file"
  | "script-outside-root"
  | "skill-not-trusted"
  | "script-snapshot-mismatch"
  | "tool-outdated"
  | "unsupported-runtime"
  | "sandbox-unavailable"
  | "script-denied"
  | "permission-denied"
  | "too-many-runs"
  | "unknown";

/** The reason why no part of a script was run. */
export interface ScriptRefusal {
  readonly status: "refused";
  readonly code: ScriptRefusalCode;
  readonly message: string;
  /** The question to answer, if the user has not answered yet. */
  readonly question?: Question;
}

export function refuse(code: ScriptRefusalCode, message: string): ScriptRefusal {
  return { status: "refused", code, message };
}

export function isRefusal(value: object): value is ScriptRefusal {
  return "status" in value && value.status === "refused";
}
