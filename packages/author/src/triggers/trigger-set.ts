import type { Diagnostic } from "@skillet/kit/diagnostics";

/** A message that should, or should not, call a skill. */
export interface TriggerQuery {
  /** Unique in its set: the row's own, or its place. */
  readonly id: string;
  readonly query: string;
  readonly shouldTrigger: boolean;
  readonly line?: number;
}

/** The queries that were written for a skill, and what is wrong with them. */
export interface TriggerSet {
  /** Whom the file itself says it is for. */
  readonly skillName?: string;
  readonly queries: readonly TriggerQuery[];
  readonly diagnostics: readonly Diagnostic[];
}

/** No longer file is read: a set of twenty queries has two kilobytes. */
export const MAX_SET_BYTES: number = 1024 * 1024;

/** YAML takes forty times as long to read as JSON; a set of two thousand queries fits in. */
export const MAX_YAML_SET_BYTES: number = 256 * 1024;

/** No more rows of one set are read. */
export const MAX_QUERIES = 2_000;

/** A longer query is a pasted document; it is left out rather than cut into another message. */
export const MAX_QUERY_CHARACTERS = 20_000;
