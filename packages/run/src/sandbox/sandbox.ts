import type { SandboxReport, ScriptOutcome } from "@skillet/core";
import type { NetworkGrant } from "../network/network-grant.ts";
import type { RunLimits } from "../run-limits.ts";
import type { Interpreter } from "../runtime/choose-runtime.ts";
import type { StagedSkill } from "../stage/stage-skill.ts";

/**
 * A place where a script can do only what it was granted. All paths are canonical paths of this machine,
 * whatever the script sees instead.
 */
export interface Sandbox {
  /** The name used in records: `bubblewrap`, `seatbelt`, `docker`, `ssh`, `none`. */
  readonly name: string;
  /** Proves that it holds, by a denied write and a denied connection; called before the first script. */
  probe(distrusted?: readonly string[]): Promise<SandboxProbe>;
  /**
   * Finds an interpreter where the script will run; on this machine, never in a `distrusted` folder, which
   * scripts can write to or which contains a project.
   */
  findInterpreter(name: string, distrusted?: readonly string[]): Promise<Interpreter | undefined>;
  /** The version of a node that was found without one; omitted by sandboxes that cannot tell. */
  nodeVersion?(node: Interpreter): Promise<string | undefined>;
  /**
   * Runs a job; the outcome contains the script's output verbatim, secrets included, and `onOutput` gets it
   * as it arrives. Throws `sandbox-unavailable` if the sandbox could not be set up; then nothing ran.
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
  /** Flags for the interpreter, from its runtime's allowlist. */
  readonly flags: readonly string[];
  /** Relative to the skill's folder. */
  readonly script: string;
  readonly args: readonly string[];
  readonly cwd: "workspace" | "skill";
  /** The folder in the workspace to start in instead, relative to it; see `startFolder`. */
  readonly folder?: string;
  /** Absent: an empty private folder is used. */
  readonly workspace?: string;
  /** Writable folders, each outside system folders. The workspace is read-only unless listed here. */
  readonly writable: readonly string[];
  /** Folders inside the writable ones that stay read-only. */
  readonly protect: readonly string[];
  /** Skillet's own folder, always hidden; absent: only the folder of staged skills is hidden. */
  readonly home?: string;
  /** Empty: no network at all. */
  readonly network: readonly NetworkGrant[];
  /** The skill's variables and secrets; the sandbox adds PATH, HOME, TMPDIR, LANG, SKILL_DIR and proxies. */
  readonly environment: Readonly<Record<string, string>>;
  readonly limits: RunLimits;
  readonly stdin?: Uint8Array;
  readonly signal?: AbortSignal;
  readonly onOutput?: (stream: "stdout" | "stderr", bytes: Uint8Array) => void;
}

/** Places inside the sandbox. No host folder can be mounted there: these paths are refused as grants. */
export const SKILL_PLACE = "/skill";
export const PRIVATE_PLACE = "/run/skillet";
export const HOME_PLACE = "/run/skillet/home";
/** Used if there is no workspace. */
export const EMPTY_WORKSPACE_PLACE = "/run/skillet/workspace";
