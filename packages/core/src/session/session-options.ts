import type { Ask } from "../ask.ts";
import type { PolicyMode } from "../config/config.ts";
import type { Origin } from "../registry/skill.ts";
import type { ExecCommand } from "./dynamic-context/exec-command.ts";
import type { ScriptRunner } from "./run/script-runner.ts";
import type { GivenSecrets } from "./session-secrets.ts";

/** How a session is opened; what is left out is as careful as it can be without being in the way. */
export interface SessionOptions {
  /** Default: the config's. A session can be stricter than the config, never less strict. */
  readonly mode?: PolicyMode;
  /** Whether somebody is there to be asked; default: whether `ask` is given. */
  readonly interactive?: boolean;
  readonly ask?: Ask;
  /** Runs scripts, those that it or the profile names and no others; without it none is run. */
  readonly runner?: ScriptRunner;
  /** Runs the commands of dynamic context; without it they stay text. */
  readonly exec?: ExecCommand;
  /** The origins whose skills may run commands for dynamic context; default none. */
  readonly dynamicContext?: readonly Origin[];
  /** Skills that may be used in locked mode, by name or pattern with `*`. */
  readonly allow?: readonly string[];
  /** A profile of the config: its skills are allowed and preferred, its scripts allowlisted. */
  readonly profile?: string;
  /** What the host is, for skills that are made for some products only. */
  readonly product?: string;
  /** The files that the conversation is about, for skills that are offered for some paths only. */
  readonly files?: readonly string[];
  /**
   * Values for variables that skills declare, by the skill's qualified name: what the host has and grants, without a
   * question. They reach the scripts of that skill alone; what is set in the host's environment is not passed on by itself.
   */
  readonly secrets?: GivenSecrets;
  /** The project, as the agent's tools see it. */
  readonly projectDirectory?: string;
  /** What happens to a skill that changed since the snapshot; default: refused in batch and locked, else reported. */
  readonly onDrift?: "report" | "refuse";
  /** The folder of the run's records; default none, and then they are kept in memory. */
  readonly records?: string;
  /**
   * Whether records keep the beginnings of messages that skills were offered for, so that `skillet eval learn` can learn
   * phrases from them; default: no, because messages can be private, and then only counts can be learned.
   */
  readonly recordMessages?: boolean;
  /** Default: a random one. */
  readonly runId?: string;
  readonly clock?: () => number;
  /** Ends the opening, which may scan many skills. */
  readonly signal?: AbortSignal;
}
