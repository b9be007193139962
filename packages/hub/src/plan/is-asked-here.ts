import type { LockEntry } from "../lock/lock-entry.ts";
import type { HubParts } from "./hub-parts.ts";

/**
 * Whether a person on this machine once named this source for this lock; as what it counted then, if that matters.
 *
 * Bringing back what a lock says, or asking for news of it, is no such word: whoever wrote the lock named the source.
 */
export function isAskedHere(
  { decisions, lockFile }: Pick<HubParts, "decisions" | "lockFile">,
  { source }: Pick<LockEntry, "source">,
  { origin }: { readonly origin?: "local" } = {},
): Promise<boolean> {
  return decisions.isNamed({ lockFile, source, origin });
}
