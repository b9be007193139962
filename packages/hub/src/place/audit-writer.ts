import { type AuditEntry, appendAudit, readAudit } from "@skillet/core";

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
