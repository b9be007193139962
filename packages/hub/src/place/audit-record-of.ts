import type { AuditAction, AuditEntry, Origin } from "@skillet/core";
import type { Resolved } from "../fetch/resolved.ts";
import type { LockEntry } from "../lock/lock-entry.ts";
import type { Change } from "./change.ts";

const ORIGINS: ReadonlySet<string> = new Set<Origin>([
  "builtin",
  "organisation",
  "trusted",
  "community",
  "agent-created",
  "local",
]);

/** What the audit log says of a change: what the caller says of it, or what the change itself tells. */
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
