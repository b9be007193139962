import { originOf } from "../inspect/inspect-candidate.ts";
import type { LockEntry } from "../lock/lock-entry.ts";
import { sourceIdentity } from "../source/source-identity.ts";
import type { HubParts } from "./hub-parts.ts";

/**
 * Whether this machine once saw exactly these bytes come from where a lock says.
 *
 * A lock comes with a repository: by itself, its word that bytes are a trusted source's, or the user's own, is worth
 * nothing. What counts for nothing better than the community's needs no proof.
 */
export async function isProven(
  { decisions, trustedSources }: Pick<HubParts, "decisions" | "trustedSources">,
  { digest, resolved }: Pick<LockEntry, "digest" | "resolved">,
): Promise<boolean> {
  const identity = resolved.kind === "git" ? sourceIdentity(resolved.url) : undefined;
  const claimed = originOf({ resolved, ...(identity !== undefined && { identity }) }, trustedSources);
  return claimed === "community" || (await decisions.hasSeen(digest, claimed));
}
