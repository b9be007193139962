import type { SandboxReport, ScriptOutcome } from "@skillet/core";
import type { NetworkGrant } from "../network/network-grant.ts";
import type { RunLimits } from "../run-limits.ts";
import type { Interpreter } from "../runtime/choose-runtime.ts";
import type { StagedSkill } from "../stage/stage-skill.ts";

/**
 * A place where a script can do only what it was given. Paths are canonical paths of this machine; a backend says in
 * `locate` what the script sees instead.
 */
export interface Sandbox {
  /** As records name it: `bubblewrap`, `seatbelt`, `docker`, `ssh`, `none`. */
  readonly name: string;
  /** Proves that it holds, by a denied write and a denied connection; asked once, before the first script. */
  probe(distrusted?: readonly string[]): Promise<SandboxProbe>;
  /**
   * Finds an interpreter where the script will run; on this machine not in a folder of `distrusted`, where scripts write
   * and projects lie.
   */
  findInterpreter(name: string, distrusted?: readonly string[]): Promise<Interpreter | undefined>;
  /** The version of a node that was found without one; a sandbox that does not say leaves this out. */
  nodeVersion?(node: Interpreter): Promise<string | undefined>;
  /**
   * Runs a job; what the script writes is in the outcome as it is, secrets too, and goes to `onOutput` as it comes. A
   * sandbox that could not be set up throws a SkilletError `sandbox-unavailable`; then nothing ran.
   */
  run(job: SandboxJob): Promise<ScriptOutcome>;
}

export type SandboxProbe =
  | { readonly ok: true; readonly report: SandboxReport }
  | {
      readonly ok: false;
      readonly reason: string;
      readonly fix?: string;
    };

export type SandboxFault = Extract<SandboxProbe, { ok: false }>;

/** One run of one script. */
export interface SandboxJob {
  readonly skill: StagedSkill;
  readonly interpreter: Interpreter;
  /** Flags for the interpreter, from the allowlist of its runtime. */
  readonly flags: readonly string[];
  /** Relative to the skill's folder. */
  readonly script: string;
  readonly args: readonly string[];
  readonly cwd: "workspace" | "skill";
  /** The folder in the workspace that it starts in instead, relative to it; see `startFolder`. */
  readonly folder?: string;
  /** Absent: an empty, private folder stands in. */
  readonly workspace?: string;
  /** Folders that may be written; each must lie outside system folders. The workspace is read-only unless it is here. */
  readonly writable: readonly string[];
  /** Folders inside the writable ones that stay read-only. */
  readonly protect: readonly string[];
  /** Skillet's own folder, out of sight wherever it lies; absent: the folder of staged skills alone. */
  readonly home?: string;
  /** Empty: no network at all. */
  readonly network: readonly NetworkGrant[];
  /** The skill's own variables and secrets; the sandbox adds PATH, HOME, TMPDIR, LANG, SKILL_DIR and proxies. */
  readonly environment: Readonly<Record<string, string>>;
  readonly limits: RunLimits;
  readonly stdin?: Uint8Array;
  readonly signal?: AbortSignal;
  readonly onOutput?: (stream: "stdout" | "stderr", bytes: Uint8Array) => void;
}

/** Where things lie for a script; nothing of the host can be mounted there, since these folders are refused to it. */
export const SKILL_PLACE = "/skill";
export const PRIVATE_PLACE = "/run/skillet";
export const HOME_PLACE = "/run/skillet/home";
/** Stands in for a workspace where there is none. */
export const EMPTY_WORKSPACE_PLACE = "/run/skillet/workspace";
