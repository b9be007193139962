/** One difference between what a lock says and what is on disk. */
export interface Drift {
  /** The target as the lock names it. */
  readonly target: string;
  /** Relative to the target; empty for the target itself, with `/` at its end for a folder. */
  readonly file: string;
  readonly kind: DriftKind;
  /** For people, without the file's name. */
  readonly message: string;
  /** A harmless cause that was proven, such as a tool that notes where a skill came from. */
  readonly explanation?: string;
  /** Left by a system or an interpreter; nobody loses anything with it. */
  readonly expendable?: true;
}

/** `more` stands at the end when there are too many to list. */
export type DriftKind = "changed" | "missing" | "extra" | "mode" | "type" | "link" | "unreadable" | "more";
