import { auditPath, readAudit } from "@skillet/core";
import type { LockEntry } from "../lock/lock-entry.ts";
import type { HubParts } from "./hub-parts.ts";

/**
 * Whether a person on this machine once installed from this source into this lock; as what it counted then, if that matters.
 *
 * Bringing back what a lock says is no such word: whoever wrote the lock named the source.
 */
export async function isAskedHere(
  { home, lockFile }: Pick<HubParts, "home" | "lockFile">,
  { source }: Pick<LockEntry, "source">,
  { origin }: { readonly origin?: "local" } = {},
): Promise<boolean> {
  for await (const { record, problems } of readAudit(auditPath(home))) {
    if (record === undefined || problems.length > 0 || record.decision !== "allow") continue;
    if (record.path !== lockFile || record.source !== source) continue;
    if (origin !== undefined && record.origin !== origin) continue;
    const { action, digest, replaces } = record;
    if (action === "install" && replaces === undefined) return true;
    if (action === "update" && replaces !== digest) return true;
  }
  return false;
}
