import { dropAllowances } from "../inspect/kept-allowances.ts";
import type { Change } from "../place/change.ts";
import type { HubParts } from "../plan/hub-parts.ts";

/**
 * Takes back what plugins of a project may run, where they are removed or replaced by other bytes.
 *
 * A user's lock holds this itself. Called before the change: whatever ends it half-way, nothing is on that nobody allowed
 * for what is there, and old bytes that come back later start with everything off.
 */
export async function endAllowances(parts: HubParts, changes: readonly Change[]): Promise<void> {
  if (parts.scope.kind === "user") return;
  const names = new Set(changes.filter(isAnother).map(({ name }) => name));
  const { home, lockFile } = parts;
  if (names.size > 0) await dropAllowances(home, { lockFile, names });
}

function isAnother(change: Change): boolean {
  if (change.kind === "note") return false;
  if (change.kind === "remove") return change.before.kind === "plugin";
  const { before, entry } = change;
  const isPlugin = entry.kind === "plugin" || before?.kind === "plugin";
  return isPlugin && before?.digest !== entry.digest;
}
