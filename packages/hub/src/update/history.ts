import { type AuditRecord, auditPath, readAudit } from "@skillet/core";
import type { Digest } from "@skillet/kit/digest";

/** One version that a skill had, as the audit log tells it. */
export interface HistoryEntry {
  readonly time: string;
  readonly actor: string;
  readonly action: "install" | "update" | "rollback" | "remove";
  readonly digest?: Digest;
  readonly source?: string;
  /** The pin as JSON. */
  readonly resolved?: string;
  readonly verdict?: string;
  readonly forced?: true;
  /** The version that was there before; absent where an installation begins. */
  readonly replaces?: Digest;
  /** `rollback --to` can go to it. */
  readonly reachable?: true;
}

/** What happened to a skill of a lock, oldest first. */
export async function readHistory(options: {
  readonly home: string;
  readonly lockFile: string;
  readonly name: string;
}): Promise<readonly HistoryEntry[]> {
  const entries: HistoryEntry[] = [];
  for await (const { record } of readAudit(auditPath(options.home))) {
    const entry = record && historyEntry(record, options);
    if (entry !== undefined) entries.push(entry);
  }
  return entries;
}

/** The part of a history that belongs to what is installed now: nothing from before it was last removed or installed anew. */
export function sinceInstalled(history: readonly HistoryEntry[]): readonly HistoryEntry[] {
  // A lock that was deleted by hand leaves no record of it, but what is installed then replaces nothing.
  const begin = history.findLastIndex(
    ({ action, replaces }) => action === "remove" || (action === "install" && replaces === undefined),
  );
  return history.slice(Math.max(0, begin)).filter(({ action }) => action !== "remove");
}

const ACTIONS: ReadonlySet<string> = new Set(["install", "update", "rollback", "remove"]);

function historyEntry(
  record: AuditRecord,
  { lockFile, name }: { readonly lockFile: string; readonly name: string },
): HistoryEntry | undefined {
  const { action, skill, path, decision, time, actor, digest, source, resolved, verdict, forced, replaces } =
    record;
  if (skill !== name || path !== lockFile || decision !== "allow" || !ACTIONS.has(action)) return undefined;
  return {
    time,
    actor,
    action: action as HistoryEntry["action"],
    ...(digest !== undefined && { digest }),
    ...(source !== undefined && { source }),
    ...(resolved !== undefined && { resolved }),
    ...(verdict !== undefined && { verdict }),
    ...(forced === true && { forced }),
    ...(replaces !== undefined && { replaces }),
  };
}
