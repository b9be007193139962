import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import type { Digest } from "@skillet/kit/digest";
import { ensureHome, unlessUnknown } from "@skillet/kit/files";
import { Log, type LogFormat } from "@skillet/kit/log";
import type { Origin, Scope } from "../registry/skill.ts";

/** The kind of decision; the log itself writes `recover` when it finds a line that a crash cut short. */
export type AuditAction =
  | "enable"
  | "disable"
  | "trust"
  | "untrust"
  | "approve"
  | "withdraw"
  | "block"
  | "install"
  | "update"
  | "remove"
  | "rollback"
  | "pin"
  | "unpin"
  | "publish"
  | "tool"
  | "recover";

/** One decision as its caller describes it; the log adds the actor, the time and the hash chain. */
export interface AuditEntry {
  readonly action: AuditAction;
  readonly skill?: string;
  readonly scope?: Scope;
  readonly path?: string;
  readonly digest?: Digest;
  /** The source that was asked for in an install or an update. */
  readonly source?: string;
  /** The user named this source; absent if a lock, a file or a skill did. */
  readonly askedBy?: "person";
  /** The commit, version or digest that the source was pinned to. */
  readonly resolved?: string;
  readonly origin?: Origin;
  readonly verdict?: string;
  /** The content that was there before. */
  readonly replaces?: Digest;
  readonly decision: "allow" | "deny";
  /** The user insisted, and the table allows that. */
  readonly forced?: true;
  readonly reason?: string;
  /** Shared by entries that belong together, so that a repair does not record them twice. */
  readonly transaction?: string;
}

/** One line of the log. */
export interface AuditRecord extends AuditEntry {
  /** Counts from 1. */
  readonly sequence: number;
  readonly time: string;
  readonly actor: string;
  /** The hash of the previous line; 64 zeros in the first line. */
  readonly previous: Digest;
  /** SHA-256 of this line's bytes up to its hash field. */
  readonly hash: Digest;
}

const FORMAT: LogFormat = {
  name: "audit log",
  errorCodes: {
    unavailable: "audit-unavailable",
    damaged: "audit-damaged",
    tooLong: "audit-record-too-long",
    full: "audit-unavailable",
  },
  ifDamaged: "Keep it as evidence by renaming it; the next decision then starts a new log",
  maxLineBytes: 65_536,
  maxBytes: Number.MAX_SAFE_INTEGER,
  isChained: true,
  // A later version may write actions and fields that this one does not know.
  check: ({ time, actor, action }) =>
    [time, actor, action].every((field) => typeof field === "string")
      ? undefined
      : "it lacks a time, an actor or an action",
};

const MAX_PROBLEMS = 100;

export function auditPath(home: string): string {
  return join(home, "audit.jsonl");
}

/** The operating system's name for this process's user, or `uid:1000` if it has none. */
export function auditActor(): string {
  return unlessUnknown(() => userInfo().username) ?? `uid:${process.getuid?.() ?? "unknown"}`;
}

/** Options of `appendAudit`; `actor` is usually `auditActor()`. */
export interface AppendAuditOptions {
  readonly file: string;
  readonly record: AuditEntry;
  readonly clock: () => number;
  readonly actor: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Appends one decision to the log and returns it as written; it is on disk when the promise resolves.
 *
 * @example
 * await appendAudit({
 *   file: auditPath(home),
 *   record: { action: "disable", skill: "gh", scope: "bundled", decision: "allow" },
 *   clock: Date.now,
 *   actor: auditActor(),
 * });
 */
export async function appendAudit(options: AppendAuditOptions): Promise<AuditRecord> {
  const { file, record, clock, actor, signal } = options;
  await ensureHome(dirname(file));
  const time = (): string => new Date(clock()).toISOString();
  return new Log<AuditRecord>(file, FORMAT).append(() => [encode(record, time(), actor)], {
    ...(signal && { signal }),
    recover: ({ path, digest, bytes }) => {
      const reason = `a line of ${bytes} bytes was cut short and moved aside`;
      return encode({ action: "recover", path, digest, decision: "allow", reason }, time(), actor);
    },
  });
}

// The same field order for every caller.
function encode(entry: AuditEntry, time: string, actor: string): string {
  const { action, skill, scope, path, digest, source, askedBy, resolved, origin, verdict } = entry;
  const { replaces, decision, forced, reason, transaction } = entry;
  const what = { action, skill, scope, path, digest, source, askedBy, resolved, origin, verdict, replaces };
  return JSON.stringify({ time, actor, ...what, decision, forced, reason, transaction });
}

/** One line of a log: the record, if it could be read, and everything that is wrong with it. */
export interface AuditLine {
  /** Counts from 1. */
  readonly line: number;
  readonly record?: AuditRecord;
  readonly problems: readonly string[];
}

/**
 * Reads a log line by line in bounded memory and checks the chain; a missing log has no lines.
 *
 * @example
 * for await (const { record, problems } of readAudit(auditPath(home))) console.log(record?.action, problems);
 */
export async function* readAudit(file: string): AsyncGenerator<AuditLine> {
  for await (const { line, value, faults } of new Log<AuditRecord>(file, FORMAT).lines())
    yield { line, ...(value && { record: value }), problems: faults.map(({ message }) => message) };
}

/** The faults of a log, line by line. */
export interface AuditVerification {
  readonly ok: boolean;
  readonly records: number;
  /** The last record. A chain cannot show that its end was cut off; a head kept elsewhere can. */
  readonly head?: { readonly sequence: number; readonly hash: Digest };
  readonly problems: readonly { readonly line: number; readonly message: string }[];
}

/** Checks a whole log: finds and names edited, removed, added, reordered and cut lines. */
export async function verifyAudit(file: string): Promise<AuditVerification> {
  let records = 0;
  let head: AuditVerification["head"];
  let unlisted = 0;
  const problems: { line: number; message: string }[] = [];
  for await (const { line, record, problems: found } of readAudit(file)) {
    if (record !== undefined) {
      records += 1;
      head = { sequence: record.sequence, hash: record.hash };
    }
    for (const problem of found) {
      if (problems.length < MAX_PROBLEMS) problems.push({ line, message: `line ${line} ${problem}` });
      else unlisted += 1;
    }
  }
  const last = problems.at(-1);
  if (last && unlisted > 0)
    problems.push({ line: last.line, message: `and ${unlisted} more problems after line ${last.line}` });
  return { ok: problems.length === 0, records, ...(head && { head }), problems };
}
