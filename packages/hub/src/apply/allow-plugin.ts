import { SkilletError } from "@skillet/kit/errors";
import { type Allowed, keepAllowance } from "../inspect/kept-allowances.ts";
import type { LockEntry } from "../lock/lock-entry.ts";
import type { HubParts } from "../plan/hub-parts.ts";
import { chosenEntries } from "../plan/plan-update.ts";
import { readLinked } from "../plan/read-linked.ts";
import { readPlaced } from "../plan/read-placed.ts";
import { scopedCommand } from "../plan/scoped-command.ts";
import { gainedPowers } from "../update/gained-powers.ts";
import type { CapabilityChange } from "../update/version-changes.ts";
import type { Drift } from "../verify/drift.ts";
import { noteEntry } from "./note-entry.ts";
import { pluginDrift } from "./plugin-drift.ts";

/** What a plugin may run from now on. */
export interface Allowance {
  readonly entry: LockEntry;
  /** Everything that this turned on, one by one. */
  readonly grants: readonly CapabilityChange[];
}

/**
 * Lets hooks or servers of a plugin be used, or takes that back; for a project it is kept apart from its lock.
 *
 * What is allowed are the bytes that the lock names, so that a plugin with others on disk is refused.
 */
export async function allowPlugin(parts: HubParts, name: string, allowed: Allowed): Promise<Allowance> {
  const { hooks, mcpServers } = allowed;
  const [[, entry] = []] = chosenEntries(parts, [name]);
  if (entry?.kind !== "plugin") throw nothingToAllow(name);
  const isOn = hooks || mcpServers;
  const grants = isOn ? await grantsOf(parts, { name, entry, allowed }) : [];
  const record = {
    action: isOn ? "approve" : "withdraw",
    reason: `hooks ${hooks ? "on" : "off"}, servers ${mcpServers ? "on" : "off"}`,
  } as const;
  if (parts.scope.kind === "user") {
    const change = (before: LockEntry): LockEntry => ({ ...before, allowed: { hooks, mcpServers } });
    return { entry: await noteEntry(parts, name, { change, record }), grants };
  }
  const { home, lockFile } = parts;
  const { digest } = entry;
  await parts.writeAudit({ ...record, skill: name, path: lockFile, digest, decision: "allow" });
  await keepAllowance(home, { lockFile, name, digest }, { hooks, mcpServers });
  return { entry: { ...entry, allowed: { hooks, mcpServers } }, grants };
}

interface Asked {
  readonly name: string;
  readonly entry: LockEntry;
  readonly allowed: Allowed;
}

async function grantsOf(parts: HubParts, asked: Asked): Promise<readonly CapabilityChange[]> {
  const { name, entry, allowed } = asked;
  const drift = await pluginDrift(parts, name, entry);
  if (drift.length > 0) throw changed(parts, asked, drift);
  const files =
    entry.linked === true
      ? await readLinked(parts, name, entry)
      : ((await parts.store.get(entry.digest)) ?? (await readPlaced(parts, entry)));
  // Somebody was quicker than the look at it.
  if (files === undefined) throw changed(parts, asked, []);
  return gainedPowers(undefined, { kind: "plugin", files }).filter(
    ({ kind }) => (kind === "hooks" && allowed.hooks) || (kind === "mcpServers" && allowed.mcpServers),
  );
}

const MAX_FILES_NAMED = 5;

function changed(parts: HubParts, { name, entry }: Asked, drift: readonly Drift[]): SkilletError {
  const files = [...new Set(drift.map(({ file, target }) => file || target))];
  const more = files.length > MAX_FILES_NAMED ? ` and ${files.length - MAX_FILES_NAMED} more` : "";
  const where = files.length === 0 ? "" : ` (${files.slice(0, MAX_FILES_NAMED).join(", ")}${more})`;
  const next =
    entry.linked === true
      ? "Look at its folder, install it anew with --link, and allow it then."
      : `See what differs with \`${scopedCommand(parts, `verify ${name}`)}\`, put back what the lock says with \`${scopedCommand(parts, "install --discard")}\`, and allow it then.`;
  const message = `${name} is not as it was installed${where}, so that nothing of it was allowed. ${next}`;
  return new SkilletError("plugin-changed", message, { data: { name, files } });
}

function nothingToAllow(name: string): SkilletError {
  const message = `${name} is a skill and has neither hooks nor servers; only plugins are allowed to run something.`;
  return new SkilletError("nothing-to-allow", message, { data: { name } });
}
