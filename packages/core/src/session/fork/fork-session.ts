import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Session } from "../session.ts";

/**
 * What a child session gets; nothing comes along by itself but how careful the parent is: its mode, its narrowing, the
 * files in play, and the way to the same person.
 */
export interface ForkOptions {
  /** The only skills of the child, by name; each must be one that the parent may use. */
  readonly skills?: readonly string[];
  /** Exactly `skill:scripts/path`: the only scripts of the child, each on the parent's own list; default none. */
  readonly scripts?: readonly string[];
  /** A profile of the configuration: its skills come too, as far as the parent may use them, and their scripts. */
  readonly profile?: string;
  /** Rules for tools as in `allowed-tools`: the child may do nothing that they do not cover; default nothing at all. */
  readonly tools?: readonly string[];
  /** The prompt that the child begins with, kept in its record. */
  readonly context?: string;
}

/** A child session: a subset of its parent, with records of its own below the parent's. */
export interface ForkSession extends Session {
  readonly parentRunId: string;
  readonly context: string | undefined;
  /** Rules for tools that could not be understood; they cover nothing. */
  readonly diagnostics: readonly Diagnostic[];
  /** Ends the child; the parent gets this summary, cleaned and shortened, and nothing else. */
  finish(summary: string): Promise<string>;
}
