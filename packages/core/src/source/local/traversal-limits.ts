/** How far a traversal of one root goes; reaching a limit is a diagnostic. */
export interface TraversalLimits {
  /** Folder levels below the root; the root itself is 0. */
  readonly depth: number;
  readonly directories: number;
  readonly entries: number;
}

/** Large enough for libraries of 100,000 skills, small enough to stop on a hostile tree. */
export const DEFAULT_LIMITS: TraversalLimits = { depth: 6, directories: 200_000, entries: 1_000_000 };
