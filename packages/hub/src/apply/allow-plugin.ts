import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { AllowedPlugin, AuditEntry, PluginHook, ServerDefinition, TreeFile } from "@skillet/core";
import { parseSkillBytes, readHooks, readServers } from "@skillet/core/internal";
import { digestBytes } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { ensureHome, readBoundedFile, withFileLock, writeAtomic } from "@skillet/kit/files";
import { type JsonObject, parseJson, parseJsonObject } from "@skillet/kit/json";
import { sortByByteOrder } from "@skillet/kit/order";
import { array, flag, object, oneOf, readDocument, text } from "@skillet/kit/schema";
import {
  agentPluginOf,
  isAgentPluginSkill,
  isDotManifest,
  readParts,
  unique,
} from "../discover/plugin-documents.ts";
import type { Allowed, Drift, LockEntry } from "../lock/lock-entry.ts";
import { type Change, commitChanges } from "../place/commit-changes.ts";
import { nameFiles } from "../place/find-drift.ts";
import { verifyEntry } from "../place/verify-entry.ts";
import { publisherOf } from "../plan/find-doubts.ts";
import { gainedPowers } from "../plan/gained-powers.ts";
import { type HubParts, installedEntry, scopedCommand } from "../plan/hub-parts.ts";
import { linkDrift } from "../plan/lock-source.ts";
import { installedFiles, readLinked } from "../plan/read-installed.ts";
import type { CapabilityChange } from "../plan-item.ts";

export interface Allowance {
  readonly entry: LockEntry;
  readonly grants: readonly CapabilityChange[];
}

/** Allows the bytes that the lock names; a plugin with other bytes on disk is refused. */
export async function allowPlugin(parts: HubParts, name: string, allowed: Allowed): Promise<Allowance> {
  const { hooks, mcpServers } = allowed;
  const entry = installedEntry(parts, name);
  if (entry.kind !== "plugin") {
    const message = `${name} is a skill and has neither hooks nor servers; only plugins are allowed to run something.`;
    throw new SkilletError("nothing-to-allow", message, { data: { name } });
  }
  const isOn = hooks || mcpServers;
  const grants = isOn ? await grantsOf(parts, name, entry, allowed) : [];
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

async function grantsOf(
  parts: HubParts,
  name: string,
  entry: LockEntry,
  allowed: Allowed,
): Promise<readonly CapabilityChange[]> {
  const isLinked = entry.linked === true;
  const drift = await pluginDrift(parts, name, entry);
  // Read after the comparison; undefined if the files were changed in between.
  const files = drift.length > 0 ? undefined : await filesOf(parts, name, entry);
  if (files === undefined) {
    const where = drift.length === 0 ? "" : ` (${nameFiles(drift)})`;
    const next = isLinked
      ? "Look at its folder, install it anew with --link, and allow it then."
      : `See what differs with \`${scopedCommand(parts, `verify ${name}`)}\`, restore it with \`${scopedCommand(parts, "install --discard")}\`, then allow it.`;
    const message = `${name} is not as it was installed${where}, so nothing of it was allowed. ${next}`;
    const changed = [...new Set(drift.map(({ file, target }) => file || target))];
    throw new SkilletError("plugin-changed", message, { data: { name, files: changed } });
  }
  return gainedPowers(undefined, { kind: "plugin", files }).filter(
    ({ kind }) => (kind === "hooks" && allowed.hooks) || (kind === "mcpServers" && allowed.mcpServers),
  );
}

/** The plugins with allowed hooks or servers, read as the very bytes that were allowed; changed ones are left out. */
export async function allowedPlugins(parts: HubParts): Promise<readonly AllowedPlugin[]> {
  const plugins: AllowedPlugin[] = [];
  for (const [name, entry] of parts.lock.skills) {
    const allowed = await allowedOf(parts, name, entry);
    const [target] = entry.targets;
    if (allowed === undefined || target === undefined || (!allowed.hooks && !allowed.mcpServers)) continue;
    const files = await filesOf(parts, name, entry);
    if (files === undefined) continue;
    const data =
      allowed.mcpServers && agentPluginOf(files) ? await dataFolder(parts, name, entry) : undefined;
    plugins.push({
      name,
      digest: entry.digest,
      root: resolve(parts.root, target.path),
      files,
      ...(data !== undefined && { data }),
      hooks: allowed.hooks ? runnableHooks(name, files) : [],
      mcpServers: allowed.mcpServers ? runnableServers(files) : [],
    });
  }
  return plugins;
}

/** Kept across updates, but never shared with a plugin of the same name from elsewhere or in another project. */
async function dataFolder(parts: HubParts, name: string, { resolved }: LockEntry): Promise<string> {
  const { home, lockFile } = parts;
  const instance = digestBytes(Buffer.from(JSON.stringify([lockFile, name, publisherOf(resolved)])));
  const folder = join(home, "plugin-data", `${name}-${instance.slice(-16)}`);
  await ensureHome(home);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

function filesOf(parts: HubParts, name: string, entry: LockEntry): Promise<readonly TreeFile[] | undefined> {
  return entry.linked === true ? readLinked(parts, name, entry) : installedFiles(parts, entry);
}

/**
 * The allowances of an installed plugin: from the user's lock or, for a project, those given on this machine.
 * All off if its bytes on disk are not those that were allowed; undefined for skills.
 */
export async function allowedOf(
  parts: HubParts,
  name: string,
  entry: LockEntry,
): Promise<Allowed | undefined> {
  if (entry.allowed === undefined) return undefined;
  const { scope, home, lockFile } = parts;
  const nothing = { hooks: false, mcpServers: false };
  const key = keyOf({ lock: lockFile, name, digest: entry.digest });
  const kept =
    scope.kind === "user" ? entry.allowed : readAllowances(home).findLast((one) => keyOf(one) === key);
  if (kept === undefined || (!kept.hooks && !kept.mcpServers)) return nothing;
  const { hooks, mcpServers } = kept;
  return (await pluginDrift(parts, name, entry)).length === 0 ? { hooks, mcpServers } : nothing;
}

async function pluginDrift(parts: HubParts, name: string, entry: LockEntry): Promise<readonly Drift[]> {
  const drift = await verifyEntry(parts.root, name, entry, parts);
  const linked = entry.linked === true ? await linkedDrift(parts, name, entry) : [];
  // Files that a system leaves behind run nothing. Those of an interpreter do: they are loaded instead of the
  // program that they were compiled from, and in a project they come with the next pull.
  return [...drift, ...linked].filter(
    ({ expendable, file }) => expendable !== true || (parts.scope.kind === "project" && file.endsWith("/")),
  );
}

// The linked folder itself is used, so its bytes must be those that were scanned.
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
  const before = installedEntry(parts, name);
  const entry = change(before);
  const about = { skill: name, path: parts.lockFile, digest: entry.digest, decision: "allow" } as const;
  const changes: readonly Change[] = [{ kind: "note", name, before, entry, record: { ...record, ...about } }];
  await commitChanges({ ...parts, changes });
  return entry;
}

/**
 * Ends a project's allowances for plugins that are replaced; a user's lock stores its own. Called before the change:
 * wherever it stops half-way, nothing is on that was not allowed for these bytes, and old bytes that return start off.
 */
export async function endAllowances(parts: HubParts, changes: readonly Change[]): Promise<void> {
  if (parts.scope.kind === "user") return;
  const names = new Set(changes.filter(replacesPlugin).map(({ name }) => name));
  const isDropped = ({ lock, name }: KeptAllowance): boolean => lock === parts.lockFile && names.has(name);
  if (readAllowances(parts.home).some(isDropped)) await changeAllowances(parts.home, isDropped);
}

function replacesPlugin(change: Change): boolean {
  if (change.kind === "note") return false;
  if (change.kind === "remove") return change.before.kind === "plugin";
  const { before, entry } = change;
  return (entry.kind === "plugin" || before?.kind === "plugin") && before?.digest !== entry.digest;
}

/** Kept in Skillet's own folder: a project's lock comes with its repository, whose author could allow anything. */
interface KeptAllowance extends Allowed {
  readonly lock: string;
  readonly name: string;
  readonly digest: string;
}

const MAX_ALLOWANCE_BYTES = 4 * 1024 * 1024;

const allowances = object<{ readonly version: 1; readonly allowances: readonly KeptAllowance[] }>({
  version: oneOf([1]),
  allowances: array(
    object<KeptAllowance>({ lock: text, name: text, digest: text, hooks: flag, mcpServers: flag }),
  ),
});

function readAllowances(home: string): readonly KeptAllowance[] {
  const file = join(home, "allowances.json");
  const bytes = readBoundedFile(file, { maxBytes: MAX_ALLOWANCE_BYTES });
  if (bytes === undefined) return [];
  const { value, faults } = readDocument(allowances, parseJson(bytes), { name: "the file" });
  if (value !== undefined) return value.allowances;
  const problem = faults[0]?.message ?? "it is not JSON";
  const message = `${file} cannot be used, so no plugin counts as allowed to run: ${problem}. It was left alone; repair it, or remove it and allow them again.`;
  throw new SkilletError("allowances-invalid", message, { data: { file } });
}

async function changeAllowances(
  home: string,
  isDropped: (kept: KeptAllowance) => boolean,
  added: readonly KeptAllowance[] = [],
): Promise<void> {
  const file = join(home, "allowances.json");
  await withFileLock(`${file}.lock`, async () => {
    const kept = [...readAllowances(home).filter((one) => !isDropped(one)), ...added].map(
      ({ lock, name, digest, hooks, mcpServers }) => ({ lock, name, digest, hooks, mcpServers }),
    );
    const document = { version: 1, allowances: sortByByteOrder(kept, keyOf) };
    await writeAtomic(file, `${JSON.stringify(document, null, 2)}\n`, { mode: 0o600 });
  });
}

function keyOf({ lock, name, digest }: Pick<KeptAllowance, "lock" | "name" | "digest">): string {
  return JSON.stringify([lock, name, digest]);
}

// The lists for users show everything that any agent might run; these are what Skillet itself runs and hands on.

/** The hooks of a plugin: from its manifests, from `hooks/hooks.json`, and from the headers of its skills. */
function runnableHooks(plugin: string, files: readonly TreeFile[]): readonly PluginHook[] {
  const isAgentPlugin = agentPluginOf(files) !== undefined;
  const ofPlugin = isAgentPlugin
    ? []
    : inManifests(files, ({ hooks: value }) =>
        readParts(files, { value, usual: "hooks/hooks.json", read: (document) => readHooks(document) }),
      );
  const ofSkills = files
    .filter(({ path }) => (isAgentPlugin ? isAgentPluginSkill(path) : /(?:^|\/)skill\.md$/i.test(path)))
    .flatMap(({ path, bytes }) => {
      const directoryName = path.split("/").at(-2) ?? plugin;
      const { manifest } = parseSkillBytes(bytes, { directoryName });
      return manifest === undefined ? [] : readHooks(manifest.hooks, `${plugin}:${manifest.name}`);
    });
  return [...ofPlugin, ...ofSkills];
}

/** The MCP servers of a plugin: from its manifests and `.mcp.json`; for an Agent Plugin, from `mcp.json` alone. */
function runnableServers(files: readonly TreeFile[]): readonly ServerDefinition[] {
  const read = ({ mcpServers: value }: JsonObject): readonly ServerDefinition[] =>
    readParts(files, { value, usual: ".mcp.json", read: readServers });
  return agentPluginOf(files)?.servers ?? inManifests(files, read);
}

// Each agent reads its own manifest, and several manifests may say the same.
function inManifests<Part>(
  files: readonly TreeFile[],
  read: (manifest: JsonObject) => readonly Part[],
): readonly Part[] {
  return unique(files.filter(isDotManifest).flatMap(({ bytes }) => read(parseJsonObject(bytes) ?? {})));
}
