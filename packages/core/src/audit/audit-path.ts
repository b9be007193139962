import { join } from "node:path";

/** Where the audit log of a home lies. */
export function auditPath(home: string): string {
  return join(home, "audit.jsonl");
}
