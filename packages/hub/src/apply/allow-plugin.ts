import { join } from "node:path";
import type { AuditEntry } from "@skillet/core";
import { SkilletError } from "@skillet/kit/errors";
import { ensureHome, readBoundedFile, withFileLock, writeAtomic } from "@skillet/kit/files";
import { parseJson } from "@skillet/kit/json";
import { compareByteOrder } from "@skillet/kit/order";
import { array, flag, object, oneOf, readDocument, text } from "@skillet/kit/schema";
import type { LockEntry } from "../lock/lock-entry.ts";
import { type Change, commitChanges } from "../place/commit-changes.ts";
import type { Drift } from "../place/find-drift.ts";
import { verifyEntry } from "../place/verify-entry.ts";
import { gainedPowers } from "../plan/gained-powers.ts";
import { chosenEntries, type HubParts, scopedCommand } from "../plan/hub-parts.ts";
import { linkDrift } from "../plan/lock-source.ts";
import { installedFiles, readLinked } from "../plan/read-installed.ts";
import type { CapabilityChange } from "../plan/version-changes.ts";

export interface Allowance {
  readonly entry: LockEntry;
  readonly grants: readonly CapabilityChange[];
}

/** What is allowed are the bytes that the lock names, so that a plugin with others on disk is refused. */
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
    return { entry: await noteEntry(parts, name, record, change), grants };
  }
  const { home, lockFile } = parts;
  const { digest } = entry;
  await parts.writeAudit({ ...record, skill: name, path: lockFile, digest, decision: "allow" });
  await ensureHome(home);
  const plugin = { lock: lockFile, name, digest, hooks, mcpServers };
  await changeAllowances(home, (kept) => keyOf(kept) === keyOf(plugin), isOn ? [plugin] : []);
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
  const isLinked = entry.linked === true;
  const files = isLinked ? await readLinked(parts, name, entry) : await installedFiles(parts, entry);
  // Someone was quicker than the look at it.
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
  const nothing = { hooks: false, mcpServers: false };
  const key = keyOf({ lock: lockFile, name, digest });
  const kept =
    scope.kind === "user" ? entry.allowed : readAllowances(home).findLast((one) => keyOf(one) === key);
  if (kept === undefined || (!kept.hooks && !kept.mcpServers)) return nothing;
  const { hooks, mcpServers } = kept;
  return (await pluginDrift(parts, name, entry)).length === 0 ? { hooks, mcpServers } : nothing;
}

async function pluginDrift(parts: HubParts, name: string, entry: LockEntry): Promise<readonly Drift[]> {
  const drift = await verifyEntry(parts.root, name, entry, parts);
  const linked = entry.linked === true ? await linkedDrift(parts, name, entry) : [];
  return [...drift, ...linked].filter((one) => counts(parts, one));
}

// What a system leaves runs nothing. What an interpreter leaves does: it is loaded instead of the program that it was made
// of, and in a project it comes with the next pull.
function counts({ scope }: HubParts, { expendable, file }: Drift): boolean {
  return expendable !== true || (scope.kind === "project" && file.endsWith("/"));
}

// The folder itself is used, so that it is the folder whose bytes must be those that were looked at.
async function linkedDrift(parts: HubParts, name: string, entry: LockEntry): Promise<readonly Drift[]> {
  const lead = linkDrift(parts, entry);
  return lead.length > 0 || (await readLinked(parts, name, entry)) !== undefined
    ? lead
    : [{ target: entry.targets[0]?.path ?? "", file: "", kind: "changed", message: "was changed since" }];
}

export async function noteEntry(
  parts: HubParts,
  name: string,
  record: Pick<AuditEntry, "action" | "reason">,
  change: (entry: LockEntry) => LockEntry,
): Promise<LockEntry> {
  const [[, before] = []] = chosenEntries(parts, [name]);
  // The names were checked.
  if (before === undefined) throw new TypeError(`no entry of ${name}`);
  const entry = change(before);
  const about = { skill: name, path: parts.lockFile, digest: entry.digest, decision: "allow" } as const;
  const changes: readonly Change[] = [{ kind: "note", name, before, entry, record: { ...record, ...about } }];
  await commitChanges({ ...parts, changes });
  return entry;
}

/**
 * A user's lock holds this itself. Called before the change: whatever ends it half-way, nothing is on that no one
 * allowed for what is there, and old bytes that come back later start with everything off.
 */
export async function endAllowances(parts: HubParts, changes: readonly Change[]): Promise<void> {
  if (parts.scope.kind === "user") return;
  const names = new Set(changes.filter(isAnother).map(({ name }) => name));
  const isDropped = ({ lock, name }: KeptAllowance): boolean => lock === parts.lockFile && names.has(name);
  if (readAllowances(parts.home).some(isDropped)) await changeAllowances(parts.home, isDropped);
}

function isAnother(change: Change): boolean {
  if (change.kind === "note") return false;
  if (change.kind === "remove") return change.before.kind === "plugin";
  const { before, entry } = change;
  const isPlugin = entry.kind === "plugin" || before?.kind === "plugin";
  return isPlugin && before?.digest !== entry.digest;
}

export type Allowed = NonNullable<LockEntry["allowed"]>;

/**
 * What a person on this machine allowed a plugin of a project to run, for exactly these bytes.
 *
 * It is kept in Skillet's own folder: a project's lock comes with its repository, and its author could allow anything.
 */
interface KeptAllowance extends Allowed {
  readonly lock: string;
  readonly name: string;
  readonly digest: string;
}

const MAX_ALLOWANCE_BYTES = 4 * 1024 * 1024;

function readAllowances(home: string): readonly KeptAllowance[] {
  const file = join(home, "allowances.json");
  const bytes = readBoundedFile(file, { maxBytes: MAX_ALLOWANCE_BYTES });
  if (bytes === undefined) return [];
  const { value, faults } = readDocument(allowances, parseJson(bytes), { name: "the file" });
  if (value === undefined) throw invalid(file, faults[0]?.message ?? "it is not JSON");
  return value.allowances;
}

/** Replaces whatever is kept and not wanted any more by what is. */
async function changeAllowances(
  home: string,
  isDropped: (kept: KeptAllowance) => boolean,
  added: readonly KeptAllowance[] = [],
): Promise<void> {
  const file = join(home, "allowances.json");
  await withFileLock(`${file}.lock`, async () => {
    const kept = [...readAllowances(home).filter((one) => !isDropped(one)), ...added]
      .map(({ lock, name, digest, hooks, mcpServers }) => ({ lock, name, digest, hooks, mcpServers }))
      .sort((left, right) => compareByteOrder(keyOf(left), keyOf(right)));
    await writeAtomic(file, `${JSON.stringify({ version: 1, allowances: kept }, null, 2)}\n`, {
      mode: 0o600,
    });
  });
}

function keyOf({ lock, name, digest }: Pick<KeptAllowance, "lock" | "name" | "digest">): string {
  return JSON.stringify([lock, name, digest]);
}

const allowances = object<{ readonly version: 1; readonly allowances: readonly KeptAllowance[] }>({
  version: oneOf([1]),
  allowances: array(
    object<KeptAllowance>({ lock: text, name: text, digest: text, hooks: flag, mcpServers: flag }),
  ),
});

function invalid(file: string, problem: string): SkilletError {
  const message = `${file} cannot be used, so no plugin counts as allowed to run: ${problem}. It was left alone; repair it, or remove it and allow them again.`;
  return new SkilletError("allowances-invalid", message, { data: { file } });
}
