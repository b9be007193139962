import { SkilletError } from "@skillet/core";
import { type Allowed, keepAllowance } from "../inspect/kept-allowances.ts";
import type { LockEntry } from "../lock/lock-entry.ts";
import type { HubParts } from "../plan/hub-parts.ts";
import { chosenEntries } from "../plan/plan-update.ts";
import { noteEntry } from "./note-entry.ts";

/** Lets hooks or servers of a plugin be used, or takes that back; for a project it is kept apart from its lock. */
export async function allowPlugin(parts: HubParts, name: string, allowed: Allowed): Promise<LockEntry> {
  const { hooks, mcpServers } = allowed;
  const [[, entry] = []] = chosenEntries(parts, [name]);
  if (entry?.kind !== "plugin") throw nothingToAllow(name);
  const record = {
    action: hooks || mcpServers ? "approve" : "withdraw",
    reason: `hooks ${hooks ? "on" : "off"}, servers ${mcpServers ? "on" : "off"}`,
  } as const;
  if (parts.scope.kind === "user") {
    const change = (before: LockEntry): LockEntry => ({ ...before, allowed: { hooks, mcpServers } });
    return noteEntry(parts, name, { change, record });
  }
  const { home, lockFile } = parts;
  const { digest } = entry;
  await parts.writeAudit({ ...record, skill: name, path: lockFile, digest, decision: "allow" });
  await keepAllowance(home, { lockFile, name, digest }, { hooks, mcpServers });
  return { ...entry, allowed: { hooks, mcpServers } };
}

function nothingToAllow(name: string): SkilletError {
  const message = `${name} is a skill and has neither hooks nor servers; only plugins are allowed to run something.`;
  return new SkilletError("nothing-to-allow", message, { data: { name } });
}
