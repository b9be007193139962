import type { Digest } from "@skillet/kit/digest";
import { readAudit } from "./read-audit.ts";

const MAX_PROBLEMS = 100;

/** What is wrong with a log, line by line. */
export interface AuditVerification {
  readonly ok: boolean;
  /** How many lines could be read as records. */
  readonly records: number;
  /** The last record. A chain cannot show that its end was cut off; a head kept elsewhere can. */
  readonly head?: { readonly sequence: number; readonly hash: Digest };
  readonly problems: readonly { readonly line: number; readonly message: string }[];
}

/** Checks a whole log: edited, removed, added, reordered and cut lines are found and named. */
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
