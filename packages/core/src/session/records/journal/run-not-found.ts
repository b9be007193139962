import { SkilletError } from "@skillet/kit/errors";
import { JOURNAL_FILE } from "./journal-file.ts";

/** The error for a folder without a journal. */
export function runNotFound(runFolder: string): SkilletError {
  const message = `There is no run in ${runFolder}: it has no ${JOURNAL_FILE}. Pass the folder that a session recorded into.`;
  return new SkilletError("run-not-found", message, { data: { runFolder } });
}
