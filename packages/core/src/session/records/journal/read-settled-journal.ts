import { join } from "node:path";
import { withFileLock } from "@skillet/kit/files";
import { JOURNAL_FILE } from "./journal-file.ts";
import { openJournalFile } from "./open-journal-file.ts";
import { type Journal, readJournal } from "./read-journal.ts";

/**
 * Reads a journal between two records, with all of it on disk.
 *
 * What is made from it can then never tell of a record that the journal loses: one whose write is still under way and
 * fails, or one that a killed process left in memory when the power goes.
 */
export async function readSettledJournal(
  runFolder: string,
  options: { readonly signal?: AbortSignal } = {},
): Promise<Journal> {
  const file = join(runFolder, JOURNAL_FILE);
  return withFileLock(
    `${file}.lock`,
    async () => {
      const journal = await readJournal(runFolder, options);
      if (journal.exists) await sync(file);
      return journal;
    },
    options,
  );
}

async function sync(file: string): Promise<void> {
  const handle = await openJournalFile(file, "repair");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
