import { type AuditAction, type AuditEntry, appendAudit, type Origin, readAudit } from "@skillet/core";
import type { LockEntry } from "../lock/lock-entry.ts";
import type { Resolved } from "../sources/source.ts";
import type { Change } from "./change.ts";

/**
 * Writes the records of a commit to the audit log, each of them once: a repair calls it again with the same records,
 * because it cannot know whether the process that died had come that far.
 */
export type AuditWriter = (records: readonly AuditEntry[], transaction: string) => Promise<void>;

export function auditWriter(options: {
  readonly file: string;
  readonly clock: () => number;
  readonly actor: string;
}): AuditWriter {
  const { file, clock, actor } = options;
  return async (records, transaction) => {
    const written = await countRecords(file, transaction);
    for (const record of records.slice(written))
      await appendAudit({ file, record: { ...record, transaction }, clock, actor });
  };
}

// The lock's own lock keeps two writers of one transaction apart.
async function countRecords(file: string, transaction: string): Promise<number> {
  let count = 0;
  for await (const { record } of readAudit(file)) if (record?.transaction === transaction) count += 1;
  return count;
}

const ORIGINS: ReadonlySet<string> = new Set<Origin>([
  "builtin",
  "organisation",
  "trusted",
  "community",
  "agent-created",
  "local",
]);

export function auditRecordOf(change: Change, transaction: string): AuditEntry {
  if (change.record !== undefined) return { ...change.record, transaction };
  const entry = change.kind === "remove" ? change.before : change.entry;
  const { origin, verdict } = entry.report;
  return {
    action: actionOf(change),
    skill: change.name,
    digest: entry.digest,
    source: entry.source,
    resolved: describePin(entry.resolved),
    ...(isOrigin(origin) && { origin }),
    verdict,
    ...(change.kind === "put" && change.before && { replaces: change.before.digest }),
    decision: "allow",
    transaction,
  };
}

function actionOf(change: Change): AuditAction {
  if (change.kind === "remove") return "remove";
  if (change.kind === "put") return change.before === undefined ? "install" : "update";
  return pinAction(change.before, change.entry) ?? "update";
}

function pinAction(before: LockEntry, after: LockEntry): AuditAction | undefined {
  if ((before.pinned === undefined) === (after.pinned === undefined)) return undefined;
  return after.pinned === undefined ? "unpin" : "pin";
}

function describePin(resolved: Resolved): string {
  switch (resolved.kind) {
    case "git":
      return resolved.commit;
    case "local":
      return resolved.path;
    case "npm":
      return resolved.version;
    case "well-known":
      return resolved.digest ?? resolved.name;
    default:
      return resolved.digest;
  }
}

function isOrigin(value: string): value is Origin {
  return ORIGINS.has(value);
}
