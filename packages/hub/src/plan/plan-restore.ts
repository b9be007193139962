import type { Diagnostic } from "@skillet/kit/diagnostics";
import { onRefusal, SkilletError } from "@skillet/kit/errors";
import { sortByByteOrder } from "@skillet/kit/order";
import { listFirst } from "@skillet/kit/text";
import { type LockEntry, lockedFiles } from "../lock/lock-entry.ts";
import { isEdit, nameFiles } from "../place/find-drift.ts";
import type { JudgedItem, Plan, PlannedItem, ReadItem, RefusedItem, UnfitItem } from "../plan-item.ts";
import { findVersion, parsePin, readHistory } from "./history.ts";
import {
  chosenEntries,
  type HubParts,
  installedEntry,
  isProven,
  lockedName,
  scopedCommand,
  shellWord,
} from "./hub-parts.ts";
import { checkInside, linkProblem } from "./lock-source.ts";
import { type ConfiguredPlugins, planPlugins } from "./plan-plugins.ts";
import { lockAllowed, planItem } from "./plan-reading.ts";
import { installedFiles, readKept, readPinned, readPlaced } from "./read-installed.ts";
import { refuseReading } from "./read-offer.ts";
import { versionChanges } from "./version-changes.ts";

export interface RestoreRequest {
  /** If empty, all. */
  readonly names: readonly string[];
  readonly force: boolean;
  /** Refuse every entry that the lock cannot hold to exact bytes, instead of reporting it. */
  readonly frozen?: boolean;
  /** Refuse edited skills; by default, `apply` discards the edits or ends with an error. */
  readonly keepEdits?: boolean;
  /** Plugins of the user's config; those that the lock lacks are planned as installs. */
  readonly configured?: ConfiguredPlugins;
}

/**
 * Restores exactly what the lock says, from the store by digest or else from the pinned source.
 *
 * If any bytes differ, nothing is restored; a blocked skill stops no other. The lock's origins and verdicts
 * do not count.
 */
export async function planRestore(parts: HubParts, request: RestoreRequest): Promise<Plan> {
  const { frozen = false, keepEdits = false, force, configured = NOTHING_CONFIGURED } = request;
  const items: PlannedItem[] = [];
  const refusals: RefusedItem[] = [];
  const failed: RefusedItem[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const [name, entry] of chosenEntries(parts, request.names)) {
    const { source, digest } = entry;
    const refuseFrozen = (reason: string): void => {
      refusals.push({ state: "refused", name, source, digest, code: "frozen-mismatch", reason });
    };
    const note = entry.linked === true ? noteLinked(parts, name, entry) : noteAllowed(parts, name, entry);
    if (note !== undefined && frozen) {
      refuseFrozen(note.frozen);
      continue;
    }
    if (note !== undefined) diagnostics.push(note.diagnostic);
    if (entry.linked === true) continue;
    const planned = await planOne(parts, name, entry, force);
    if (planned.state === "refused") {
      // A blocked skill says nothing about the others; bytes that differ from the lock do.
      (planned.code === "blocked" ? failed : refusals).push(planned);
      continue;
    }
    const claims = frozen ? findClaims(parts, name, entry, planned.report) : undefined;
    const reason = claims ?? (keepEdits ? findEdits(parts, planned) : undefined);
    if (reason === undefined) items.push(planned);
    else refuseFrozen(reason);
  }
  const listed = await planPlugins(parts, configured, force);
  return {
    items: sortByByteOrder([...items, ...listed.items], ({ name }) => name),
    refusals,
    failed: [...failed, ...listed.failed],
    diagnostics: [...diagnostics, ...listed.diagnostics],
  };
}

const NOTHING_CONFIGURED: ConfiguredPlugins = { plugins: [], agents: [] };

/** For an entry that the lock does not hold to exact bytes: a diagnostic, or the reason to refuse it when frozen. */
interface Note {
  readonly diagnostic: Diagnostic;
  readonly frozen: string;
}

function noteLinked(parts: HubParts, name: string, { resolved }: LockEntry): Note {
  const problem =
    resolved.kind === "local"
      ? linkProblem(parts, resolved.path)
      : "its source is not a folder of this machine";
  const message = `${name} is linked, so its folder is used as it is: it is neither compared with the lock nor scanned here${problem === undefined ? "" : `, and ${problem}`}.`;
  const hint =
    "If you did not link it yourself, look at it with `skillet scan`, and install it without --link.";
  const severity = problem === undefined ? "info" : "warning";
  return {
    diagnostic: { code: "linked-unchecked", severity, message, file: parts.lockFile, hint },
    frozen: `${name} is linked: its folder is used as it is, so nothing holds it to what the lock says. Install it without --link, or leave --frozen out.`,
  };
}

// Only the user may allow something to run, but the author of a project writes its lock.
function noteAllowed(parts: HubParts, name: string, { allowed }: LockEntry): Note | undefined {
  if (parts.scope.kind !== "project" || (allowed?.hooks !== true && allowed?.mcpServers !== true))
    return undefined;
  const fault = `The lock allows hooks or servers of ${name}, which only a person on this machine can`;
  const allow = scopedCommand(parts, `allow ${name}`);
  const message = `${fault}; they stay off.`;
  const hint = `Look at them, then run \`${allow}\` if they may run here.`;
  return {
    diagnostic: { code: "allowed-by-lock", severity: "warning", message, file: parts.lockFile, hint },
    frozen: `${fault}; run \`${scopedCommand(parts, "install")}\` without --frozen, which takes that out of the lock, then \`${allow}\`.`,
  };
}

async function planOne(
  parts: HubParts,
  name: string,
  entry: LockEntry,
  force: boolean,
): Promise<PlannedItem | RefusedItem> {
  const { source, targets, declaredName } = entry;
  const reading = await readLocked(parts, name, entry);
  if (typeof reading === "string")
    return { state: "refused", name, source, code: "unavailable", reason: reading };
  if (reading.state === "unfit") return refuseReading({ ...reading, name }, source);
  const { digest } = reading;
  if (digest !== entry.digest) {
    const reason = mismatch(parts, name, entry, reading);
    return { state: "refused", name, source, code: "frozen-mismatch", digest, reason };
  }
  const planned = await planItem(parts, reading, { source, targets, force, declaredName, action: "restore" });
  if (planned.state === "refused") return planned;
  // The lock stays the same byte for byte, except for its allowances; the same bytes gain no abilities.
  const { decision } = planned;
  const questions = decision.outcome === "ask" ? [decision.reason] : [];
  return { ...planned, entry: lockAllowed(parts, entry), questions };
}

/** Reads from the store or the disk; from the source what they lack, or to prove the lock's claim that it is trusted. */
async function readLocked(
  parts: HubParts,
  name: string,
  entry: LockEntry,
): Promise<ReadItem | UnfitItem | string> {
  const { resolved, digest } = entry;
  const proven = await isProven(parts, entry);
  const outside = await onRefusal(checkInside(parts, name, entry), (error) => error);
  // If the source is outside the project, only files that match the lock and are in place are used.
  const files = await (outside === undefined ? installedFiles : readPlaced)(parts, entry);
  const kept = files && (await readKept(parts, name, { ...entry, files, isProven: proven }));
  if (outside !== undefined)
    return (
      kept ??
      `Cannot restore ${name} from the lock. If git tracks its files, \`git restore\` brings them back. Otherwise: ${outside.message}`
    );
  // A folder of this machine proves nothing.
  const isEnough = proven || resolved.kind === "local";
  // A renamed skill has other bytes than those that were signed; its source has both.
  const isUnsigned = kept?.state === "unfit" && kept.code === "signature-missing";
  if (kept !== undefined && isEnough && (!isUnsigned || entry.declaredName === undefined)) return kept;
  const found = await onRefusal(
    readPinned(parts, name, entry),
    ({ message }) => `Cannot restore ${name} from the lock: ${message}`,
  );
  const item = typeof found === "string" || found.state === "unfit" ? undefined : found;
  // Files that are still here are kept, even if the source has moved on; a commit or a digest never does.
  const isPinned = ["git", "npm", "oci"].includes(resolved.kind);
  if (kept !== undefined && (item === undefined || (item.digest !== digest && !isPinned))) return kept;
  return item !== undefined && resolved.kind === "local" && !proven ? { ...item, unproven: true } : found;
}

// The user's own lock is in no repository.
const RESTORE_LOCK = "Restore the lock from version control";

function mismatch(
  parts: HubParts,
  name: string,
  entry: LockEntry,
  { digest: found, files }: ReadItem,
): string {
  const { digest, capabilities } = entry;
  const { changed, added, removed } = versionChanges(entry, { files: lockedFiles(files), capabilities });
  const [other] = [...changed, ...added, ...removed];
  const where = other === undefined ? "" : ` For one, ${other} differs.`;
  const update = scopedCommand(parts, `update ${name}`);
  const first = parts.scope.kind === "project" ? RESTORE_LOCK : "Its files are neither in place nor kept";
  return `${name} is locked as ${digest}, but its source gives ${found}; nothing was installed.${where} ${first}; if the source is right, look at what is new with \`${update}\`.`;
}

const MAX_NAMED = 5;

/** Undefined if the entry is correct, or if another rule set produced it. */
function findClaims(
  parts: HubParts,
  name: string,
  { source, capabilities, report: locked }: LockEntry,
  report: JudgedItem["report"],
): string | undefined {
  if (locked.scanner !== report.ruleSet) return undefined;
  const found = { files: {}, capabilities: report.capabilities };
  const { gained, lost } = versionChanges(found, { files: {}, capabilities });
  const differences = [
    ...gained.map(({ text }) => `nothing in them ${text}`),
    ...lost.map(({ text }) => `the lock leaves out that it ${text}`),
  ];
  if (differences.length === 0) return undefined;
  const install = scopedCommand(parts, `install ${shellWord(source)}`);
  const first = parts.scope.kind === "project" ? `${RESTORE_LOCK}, or rewrite` : "Rewrite";
  return `What the lock says ${name} can do is not what its files can: ${listFirst(differences, MAX_NAMED, "; ")}. ${first} the entry: ${install}`;
}

function findEdits(parts: HubParts, { name, action, installed }: PlannedItem): string | undefined {
  const edits = action === "unchanged" ? [] : (installed?.drift ?? []).filter(isEdit);
  if (edits.length === 0) return undefined;
  const discard = scopedCommand(parts, "install --discard");
  return `${name} was edited: ${nameFiles(edits)}. \`${discard}\` puts back what the lock says.`;
}

export interface RollbackRequest {
  readonly name: string;
  readonly to?: string;
  readonly force: boolean;
}

/** Goes back to the previous version, or to a named one; it is scanned and decided about again. */
export async function planRollback(parts: HubParts, request: RollbackRequest): Promise<Plan> {
  const { force } = request;
  const name = lockedName(parts.lock, request.name);
  const entry = installedEntry(parts, name);
  const version = findVersion(parts, await readHistory(parts, name), entry, request);
  const { digest, source = entry.source } = version;
  const files = await parts.store.get(digest);
  if (files === undefined) {
    const message = `The files of ${name} at ${digest} are no longer stored; install that version from its source with --ref.`;
    throw new SkilletError("version-not-kept", message, { data: { name, digest } });
  }
  const resolved = parsePin(version.resolved) ?? entry.resolved;
  const kept = { ...entry, source, resolved, digest, files };
  const reading = await readKept(parts, name, { ...kept, isProven: await isProven(parts, kept) });
  const { targets, declaredName } = entry;
  const details = { source, targets, force, declaredName, action: "rollback" } as const;
  const planned: PlannedItem | RefusedItem =
    reading.state === "unfit"
      ? { state: "refused", name, source, code: "signature-missing", reason: reading.problem, digest }
      : await planItem(parts, reading, details);
  return planned.state === "refused"
    ? { items: [], refusals: [{ ...planned, wanted: "rollback" }], diagnostics: [] }
    : { items: [planned], refusals: [], diagnostics: [] };
}
