import { type AuditEntry, appendAudit } from "@skillet/core";
import { auditActor, auditPath } from "@skillet/core/internal";

/** Records first, so that nothing is permitted without a record; a later failure is recorded, too. */
export async function recordAndApply<Result>(
  home: string,
  decision: AuditEntry,
  apply: () => Promise<Result>,
): Promise<Result> {
  await recordDecision(home, decision);
  try {
    return await apply();
  } catch (error) {
    const why = `not carried out: ${error instanceof Error ? error.message : String(error)}`;
    const reason = why.slice(0, MAX_REASON_CHARACTERS);
    await recordDecision(home, { ...decision, decision: "deny", reason });
    throw error;
  }
}

export async function recordDecision(home: string, decision: AuditEntry): Promise<void> {
  await appendAudit({ file: auditPath(home), record: decision, clock: Date.now, actor: auditActor() });
}

const MAX_REASON_CHARACTERS = 500;
