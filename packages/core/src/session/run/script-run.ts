import type { Digest } from "@skillet/kit/digest";
import type { Skill } from "../../registry/skill.ts";
import type { ScriptRefusal } from "./script-refusal.ts";
import type { ScriptOutcome, ScriptOutputListener, ScriptTarget } from "./script-runner.ts";

/** How a script is called. */
export interface RunOptions {
  /** Where it starts; default: the workspace. */
  readonly cwd?: "workspace" | "skill";
  /** Default: the configuration's; at most ten minutes. */
  readonly timeoutMs?: number;
  readonly stdin?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** Called with what the script writes while it runs. */
  readonly onOutput?: ScriptOutputListener;
}

/** The script of a tool that a skill declares, as it was when the tool was listed. */
export interface ToolScript {
  /** As the model calls it. */
  readonly tool: string;
  readonly skill: Skill;
  readonly treeDigest: Digest;
  readonly path: string;
}

interface AskedScript {
  readonly type: "skillet.run-skill-script-output";
  /** Qualified, once it is known which skill is meant. */
  readonly skill: string;
  readonly path: string;
}

/** A script that ran, whatever came of it. */
export interface ExecutedScript extends AskedScript, ScriptOutcome {
  readonly runtime: string;
  readonly target: ScriptTarget;
  /** Of the script and of the whole skill, as they were verified and run. */
  readonly digest: Digest;
  readonly treeDigest: Digest;
}

/** What came of asking for a script: it ran, or the reason why not. */
export type ScriptRun = ExecutedScript | (AskedScript & ScriptRefusal);
