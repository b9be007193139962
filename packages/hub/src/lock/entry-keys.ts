import type { LockEntry } from "./lock-entry.ts";

const KEYS: Readonly<Record<keyof LockEntry, true>> = {
  kind: true,
  source: true,
  resolved: true,
  folder: true,
  digest: true,
  files: true,
  capabilities: true,
  report: true,
  targets: true,
  declaredName: true,
  pinned: true,
  requires: true,
  requiredBy: true,
  askedBy: true,
  allowed: true,
  linked: true,
};

/** The keys of an entry that this version knows; the compiler says when there is another. */
export const ENTRY_KEYS: ReadonlySet<string> = new Set(Object.keys(KEYS));
