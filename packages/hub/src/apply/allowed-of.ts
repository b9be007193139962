import { type Allowed, keptAllowance } from "../inspect/kept-allowances.ts";
import type { LockEntry } from "../lock/lock-entry.ts";
import type { HubParts } from "../plan/hub-parts.ts";
import { pluginDrift } from "./plugin-drift.ts";

/**
 * What an installed plugin may run: as its user's lock or, for a project's, as people on this machine say, and nothing
 * where its bytes are others than were allowed; undefined for skills.
 */
export async function allowedOf(
  parts: HubParts,
  name: string,
  entry: LockEntry,
): Promise<Allowed | undefined> {
  if (entry.allowed === undefined) return undefined;
  const { scope, home, lockFile } = parts;
  const { digest } = entry;
  const said = scope.kind === "user" ? entry.allowed : keptAllowance(home, { lockFile, name, digest });
  if (!said.hooks && !said.mcpServers) return said;
  const drift = await pluginDrift(parts, name, entry);
  return drift.length === 0 ? said : { hooks: false, mcpServers: false };
}
