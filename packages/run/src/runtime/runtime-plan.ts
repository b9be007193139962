import type { Diagnostic } from "@skillet/kit/diagnostics";

/** How a script can be run; the first interpreter that is there is taken. */
export interface RuntimePlan {
  readonly candidates: readonly [RuntimeCandidate, ...(readonly RuntimeCandidate[])];
  /** What to install when none of them is there. */
  readonly remedy: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** One interpreter and how it is called: interpreter, flags, script, then the caller's arguments. */
export interface RuntimeCandidate {
  /** For records: `bash`, `python`, `node`. */
  readonly runtime: string;
  /** The program to look for. */
  readonly interpreter: string;
  readonly flags: readonly string[];
  /** Between script and arguments, for programs that would take arguments for flags of their own. */
  readonly separator?: "--";
  /** Only a node that leaves types out by itself will do. */
  readonly needs?: "type-stripping";
  /** It runs what it finds in its working directory, so that may only be the skill's folder, where all is verified. */
  readonly onlyIn?: "skill";
}

/** A script that is not run, and why, for people. */
export interface RuntimeRefusal {
  readonly refused: string;
}
