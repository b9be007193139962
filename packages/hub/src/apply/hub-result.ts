import type { Digest } from "@skillet/kit/digest";
import type { Resolved } from "../fetch/resolved.ts";
import type { LockedTarget } from "../lock/lock-entry.ts";
import type { VersionChanges } from "../update/version-changes.ts";

/** What became of one name. */
export interface HubResult {
  readonly name: string;
  readonly source: string;
  readonly resolved?: Resolved;
  readonly digest?: Digest;
  readonly outcome: HubOutcome;
  /** A sentence for people, where it is not plain. */
  readonly reason?: string;
  readonly changes?: VersionChanges;
  /** The keys that the policy names and that signed it, by id; absent where no rule asks for a signature. */
  readonly signedBy?: readonly Digest[];
  readonly targets?: readonly LockedTarget[];
}

export type HubOutcome =
  | "installed"
  | "updated"
  | "restored"
  | "rolled-back"
  | "unchanged"
  | "removed"
  /** The table says no. */
  | "blocked"
  /** It cannot be had, or not so. */
  | "refused"
  /** Its source cannot be had, and the others go on without it. */
  | "failed"
  /** A person said no, or nobody was there to say yes. */
  | "declined"
  /** Another one of the same call was refused, so nothing was done. */
  | "skipped";
