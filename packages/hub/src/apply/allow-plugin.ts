import { join } from "node:path";
import type { AuditEntry } from "@skillet/core";
import type { Digest } from "@skillet/kit/digest";
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
  const isLinked = entry.linked === true;
  const files = isLinked ? await readLinked(parts, name, entry) : await installedFiles(parts, entry);
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
 * A user's lock holds this itself. Called before the change: whatever ends it half-way, nothing is on that nobody
 * allowed for what is there, and old bytes that come back later start with everything off.
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

export type Allowed = NonNullable<LockEntry["allowed"]>;

interface AllowedPlugin {
  readonly lockFile: string;
  readonly name: string;
  readonly digest: Digest;
}

const MAX_ALLOWANCE_BYTES = 4 * 1024 * 1024;
const NOTHING: Allowed = { hooks: false, mcpServers: false };

/**
 * A project's lock comes with its repository, so that whoever writes it would allow himself; this is kept in Skillet's
 * own folder, by lock, name and digest, and holds for no other bytes.
 */
function keptAllowance(home: string, plugin: AllowedPlugin): Allowed {
  const kept = readAllowances(home).get(keyOf(plugin));
  return kept ?? NOTHING;
}

async function keepAllowance(home: string, plugin: AllowedPlugin, allowed: Allowed): Promise<void> {
  await ensureHome(home);
  await changeAllowances(home, (kept) => {
    kept.delete(keyOf(plugin));
    if (allowed.hooks || allowed.mcpServers) kept.set(keyOf(plugin), allowed);
  });
}

/** Forgets what was said about plugins of a lock, at whatever version: none of it may come back with old bytes. */
async function dropAllowances(
  home: string,
  plugins: { readonly lockFile: string; readonly names: ReadonlySet<string> },
): Promise<void> {
  const isDropped = (key: string): boolean => {
    const [lock, name] = partsOf(key);
    return lock === plugins.lockFile && plugins.names.has(name);
  };
  if (![...readAllowances(home).keys()].some(isDropped)) return;
  await changeAllowances(home, (kept) => {
    for (const key of kept.keys()) if (isDropped(key)) kept.delete(key);
  });
}

async function changeAllowances(home: string, change: (kept: Map<string, Allowed>) => void): Promise<void> {
  const file = pathOf(home);
  await withFileLock(`${file}.lock`, async () => {
    const kept = new Map(readAllowances(home));
    change(kept);
    const allowances = [...kept]
      .sort(([left], [right]) => compareByteOrder(left, right))
      .map(([key, { hooks, mcpServers }]) => {
        const [lock, name, digest] = partsOf(key);
        return { lock, name, digest, hooks, mcpServers };
      });
    await writeAtomic(file, `${JSON.stringify({ version: 1, allowances }, null, 2)}\n`, { mode: 0o600 });
  });
}

function readAllowances(home: string): ReadonlyMap<string, Allowed> {
  const file = pathOf(home);
  const bytes = readBoundedFile(file, { maxBytes: MAX_ALLOWANCE_BYTES });
  if (bytes === undefined) return new Map();
  const { value, faults } = readDocument(allowances, parseJson(bytes), { name: "the file" });
  if (value === undefined) throw invalid(file, faults[0]?.message ?? "it is not JSON");
  return new Map(
    value.allowances.map(({ lock, name, digest, hooks, mcpServers }) => [
      JSON.stringify([lock, name, digest]),
      { hooks, mcpServers },
    ]),
  );
}

interface KeptAllowance extends Allowed {
  readonly lock: string;
  readonly name: string;
  readonly digest: string;
}

const allowance = object<KeptAllowance>({
  lock: text,
  name: text,
  digest: text,
  hooks: flag,
  mcpServers: flag,
});
const allowances = object<{ readonly version: 1; readonly allowances: readonly KeptAllowance[] }>({
  version: oneOf([1]),
  allowances: array(allowance),
});

function keyOf({ lockFile, name, digest }: AllowedPlugin): string {
  return JSON.stringify([lockFile, name, digest]);
}

function partsOf(key: string): [lock: string, name: string, digest: string] {
  return JSON.parse(key) as [string, string, string];
}

function pathOf(home: string): string {
  return join(home, "allowances.json");
}

function invalid(file: string, problem: string): SkilletError {
  const message = `${file} cannot be used, so no plugin counts as allowed to run: ${problem}. It was left alone; repair it, or remove it and allow them again.`;
  return new SkilletError("allowances-invalid", message, { data: { file } });
}
