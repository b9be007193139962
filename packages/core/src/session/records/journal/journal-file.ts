/** The journal's name in a run folder. */
export const JOURNAL_FILE = "journal.jsonl";

/** The largest journal that is written or read; some hundreds of thousands of records. */
export const MAX_JOURNAL_BYTES: number = 256 * 1024 * 1024;
