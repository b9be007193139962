import { type HistoryEntry, readHistory } from "../update/history.ts";
import { reachableVersions } from "./find-version.ts";
import type { HubParts } from "./hub-parts.ts";

/** What happened to a skill of the lock, oldest first, with which of it `rollback` can go to. */
export async function historyOf(parts: HubParts, name: string): Promise<readonly HistoryEntry[]> {
  const { home, lockFile, lock, store } = parts;
  const history = await readHistory({ home, lockFile, name });
  const entry = lock.skills.get(name);
  if (entry === undefined) return history;
  const reachable = new Set<HistoryEntry>();
  for (const version of reachableVersions(parts, { history, entry }))
    if ((await store.get(version.digest)) !== undefined) reachable.add(version);
  return history.map((one) => (reachable.has(one) ? { ...one, reachable: true } : one));
}
