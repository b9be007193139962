import type { Skill } from "../registry/skill.ts";

/** Something an agent did with a tool: it ran a command, or read a file. */
export type AgentEvent =
  | {
      readonly kind: "command";
      /** A text for a shell, or a program and its arguments that no shell sees. */
      readonly command: string | readonly string[];
      /** Where it ran; without it relative paths say nothing. */
      readonly cwd?: string;
      /** Which shell reads the text; default `posix`. */
      readonly shell?: "posix" | "powershell";
    }
  | { readonly kind: "read"; readonly path: string; readonly cwd?: string };

/** A skill that an event shows in use. */
export interface DetectedUse {
  readonly skill: Skill;
  /** How it was used: a file of it was run, its SKILL.md or another file was read, or a command that it wraps was called. */
  readonly how: "script" | "instructions" | "resource" | "command";
  /** `likely` where a part of a path is not known beforehand or what is done stands in a branch, and for commands. */
  readonly certainty: "sure" | "likely";
  /** The path relative to the skill, with `/`, or the command. */
  readonly subject: string;
  /** For people, such as `runs "scripts/fill.py"`. */
  readonly reason: string;
}

/** Tells from what an agent does which skills it uses. */
export interface UseDetector {
  /** One row for each skill, its strongest evidence; the strongest rows first, then in the order of the event. */
  detect(event: AgentEvent): readonly DetectedUse[];
}

export interface UseDetectorOptions {
  /** Resolves links; default `canonicalPath`, which asks the file system. */
  readonly canonical?: (path: string) => string;
  /** The meaning of `~`; default: the home of the process. */
  readonly home?: string;
  /** Variables of the agent's shell, such as `CLAUDE_SKILL_DIR`; the process's own are never looked at. */
  readonly variables?: Readonly<Record<string, string>>;
  /** The text below a skill's header, for the commands in its code blocks; without it the header alone says what it wraps. */
  readonly bodyOf?: (skill: Skill) => string | undefined;
}
