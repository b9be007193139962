import { SkilletError } from "@skillet/kit/errors";
import { ensureHome, withFileLock, writeAtomic } from "@skillet/kit/files";
import { learnedPath, MAX_LEARNED_BYTES, readLearned } from "./read-learned.ts";

/** Writes the learned file of a home, if it still is what the change was shown against. */
export async function writeLearned(
  home: string,
  change: {
    readonly text: string;
    /** The text that was read before; undefined where there was no file. */
    readonly replaces: string | undefined;
    readonly signal?: AbortSignal;
  },
): Promise<void> {
  const { text, replaces, signal } = change;
  const file = learnedPath(home);
  if (Buffer.byteLength(text) > MAX_LEARNED_BYTES) {
    const message = `${file} would grow beyond ${MAX_LEARNED_BYTES} bytes, so it was not written; remove entries that are no longer needed.`;
    throw new SkilletError("file-too-large", message, { data: { path: file, maxBytes: MAX_LEARNED_BYTES } });
  }
  await ensureHome(home);
  await withFileLock(
    `${file}.lock`,
    async () => {
      const { text: present, diagnostics } = readLearned(home);
      const isUnreadable = present === undefined && diagnostics.length > 0;
      if (present !== replaces || isUnreadable) throw changedMeanwhile(file);
      await writeAtomic(file, text, { mode: 0o600 });
    },
    { ...(signal && { signal }) },
  );
}

function changedMeanwhile(file: string): SkilletError {
  const message = `${file} has changed since the change was shown, so nothing was written; learn again.`;
  return new SkilletError("learned-changed", message, { data: { path: file } });
}
