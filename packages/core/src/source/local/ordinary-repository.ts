/** Only what git itself keeps there: no hook, no configuration, which names commands, no hidden script. */
export function isOrdinaryInRepository(path: string): boolean {
  return STORES.has(path) || RECORDS.test(path) || SAMPLES.test(path);
}

// Folders with as many files as a history has commits; they are not entered.
const STORES: ReadonlySet<string> = new Set([
  "branches",
  "lfs",
  "logs",
  "modules",
  "objects",
  "refs",
  "rr-cache",
  "worktrees",
]);

const RECORDS =
  /^(?:(?:[A-Z]{1,20}_){0,3}HEAD|AUTO_MERGE|COMMIT_EDITMSG|MERGE_MODE|MERGE_MSG|SQUASH_MSG|description|gc\.log|gc\.pid|index|index\.lock|packed-refs|shallow|info\/(?:attributes|exclude|grafts|refs|sparse-checkout))$/;

const SAMPLES = /^hooks\/[\w-]{1,40}\.sample$/;
