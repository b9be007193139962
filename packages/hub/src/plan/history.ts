import { type AuditRecord, readAudit } from "@skillet/core";
import { auditPath } from "@skillet/core/internal";
import type { Digest } from "@skillet/kit/digest";
import { SkilletError } from "@skillet/kit/errors";
import { parseJson, present } from "@skillet/kit/json";
import { readDocument } from "@skillet/kit/schema";
import { type LockEntry, resolvedSchema } from "../lock/lock-entry.ts";
import type { Resolved } from "../sources/source.ts";
import { type HubParts, scopedCommand } from "./hub-parts.ts";
import { isSameSource } from "./lock-source.ts";

type Recorded = "time" | "actor" | "digest" | "source" | "resolved" | "verdict" | "forced" | "replaces";

/** One version that was placed; if `replaces` is absent, it began a new installation. */
export interface HistoryEntry extends Pick<AuditRecord, Recorded> {
  readonly action: "install" | "update" | "rollback" | "remove";
  /** Whether `rollback --to` can go back to it. */
  readonly reachable?: true;
}

const ACTIONS: readonly HistoryEntry["action"][] = ["install", "update", "rollback", "remove"];

export async function readHistory(
  { home, lockFile }: Pick<HubParts, "home" | "lockFile">,
  name: string,
): Promise<readonly HistoryEntry[]> {
  const entries: HistoryEntry[] = [];
  for await (const { record } of readAudit(auditPath(home))) {
    if (record?.skill !== name || record.path !== lockFile || record.decision !== "allow") continue;
    const { time, actor, digest, source, resolved, verdict, forced, replaces } = record;
    const action = ACTIONS.find((known) => known === record.action);
    if (action === undefined) continue;
    const kept = { time, actor, action, digest, source, resolved, verdict, forced, replaces };
    entries.push(present<Omit<HistoryEntry, "reachable">>(kept));
  }
  return entries;
}

export async function historyOf(parts: HubParts, name: string): Promise<readonly HistoryEntry[]> {
  const history = await readHistory(parts, name);
  const entry = parts.lock.skills.get(name);
  if (entry === undefined) return history;
  const reachable = new Set<HistoryEntry>();
  for (const version of reachableVersions(parts, history, entry))
    if ((await parts.store.get(version.digest)) !== undefined) reachable.add(version);
  return history.map((one) => (reachable.has(one) ? { ...one, reachable: true } : one));
}

type Version = HistoryEntry & { readonly digest: Digest };

/** The version before the installed one, or the one named by digest, commit or version. */
export function findVersion(
  parts: HubParts,
  history: readonly HistoryEntry[],
  entry: LockEntry,
  { name, to }: { readonly name: string; readonly to?: string },
): Version {
  const versions = reachableVersions(parts, history, entry);
  if (to !== undefined) return namedVersion(parts, versions, name, to);
  const line = lineOf(versions);
  const at = line.findLastIndex(({ digest }) => digest === entry.digest);
  const before = line[at - 1];
  if (before !== undefined) return before;
  const isOther = ({ digest }: HistoryEntry): boolean => digest !== undefined && digest !== entry.digest;
  const first =
    "the installed one is the first it had; to go forward again, name a version with --to, or update it";
  const gone = "its other versions are from before it was last removed, or from another source";
  const none = history.some(isOther) ? gone : "no earlier version is known";
  throw noVersion(parts, name, versions.some(isOther) ? first : none);
}

/** The versions of the current installation: none from before the name was last removed or newly installed. */
function reachableVersions(
  parts: HubParts,
  history: readonly HistoryEntry[],
  entry: LockEntry,
): readonly Version[] {
  // Deleting a lock by hand leaves no record, but the next install replaces nothing.
  const begin = history.findLastIndex(
    ({ action, replaces }) => action === "remove" || (action === "install" && replaces === undefined),
  );
  // Another source may be trusted more, and bytes from this one must not pass for that one's.
  return history
    .slice(Math.max(0, begin))
    .filter(
      (version): version is Version =>
        version.action !== "remove" &&
        version.digest !== undefined &&
        (version.source === undefined || isSameSource(version.source, entry.source, parts)),
    );
}

export function parsePin(text: string | undefined): Resolved | undefined {
  return readDocument(resolvedSchema, parseJson(text)).value;
}

function namedVersion(parts: HubParts, versions: readonly Version[], name: string, to: string): Version {
  const found = versions.filter((version) => isNamed(version, to));
  const last = found.at(-1);
  if (last === undefined) throw noVersion(parts, name, `no version ${to} since the last fresh install`);
  const digests = [...new Set(found.map(({ digest }) => digest))];
  if (digests.length === 1) return last;
  const shown = digests.map((digest) => digest.slice("sha256:".length, "sha256:".length + 12));
  const message = `${to} is the beginning of, or names, ${digests.length} versions of ${name}: ${shown.join(", ")}. Name one of them.`;
  throw new SkilletError("version-ambiguous", message, { data: { name, to, digests } });
}

const MIN_PREFIX = 7;

// A few characters could match by chance; versions and tags must match completely.
function isNamed({ digest, resolved }: Version, to: string): boolean {
  const pin = parsePin(resolved);
  const ids = [digest, ...(pin === undefined ? [] : idsOf(pin))].map((id) => id.replace(/^sha256:/, ""));
  const wanted = to.replace(/^sha256:/, "").toLowerCase();
  if (wanted.length >= MIN_PREFIX && ids.some((id) => id.startsWith(wanted))) return true;
  if (pin?.kind === "git") return pin.ref === `refs/tags/${to}`;
  if (pin?.kind === "npm") return pin.version === to;
  return pin?.kind === "oci" && pin.tag === to;
}

/** A short id that `rollback --to` accepts. */
export function showVersion({ resolved, digest }: Pick<LockEntry, "resolved" | "digest">): string {
  const [id = digest] = idsOf(resolved);
  return id.replace(/^sha256:/, "").slice(0, MIN_PREFIX);
}

function idsOf(pin: Resolved): readonly string[] {
  if (pin.kind === "git") return [pin.commit];
  return "digest" in pin && pin.digest !== undefined ? [pin.digest] : [];
}

/**
 * The versions in succession, each with its newest record, because the pin of the same files may move.
 *
 * A rollback drops the versions that it skipped, so that two rollbacks go back two versions.
 */
function lineOf(versions: readonly Version[]): readonly Version[] {
  const line: Version[] = [];
  for (const version of versions) {
    const at = line.findLastIndex(({ digest }) => digest === version.digest);
    if (version.action === "rollback" && at >= 0) line.splice(at, line.length, version);
    else if (at >= 0 && at === line.length - 1) line[at] = version;
    else line.push(version);
  }
  return line;
}

function noVersion(parts: HubParts, name: string, why: string): SkilletError {
  const message = `${name} cannot be rolled back: ${why}. See its versions with \`${scopedCommand(parts, `history ${name}`)}\`.`;
  return new SkilletError("no-earlier-version", message, { data: { name } });
}
