import { join } from "node:path";
import { readBoundedFile } from "@skillet/kit/files";
import { MAX_LOCK_BYTES, parseLock } from "./read-lock.ts";

/**
 * The folders that a user installed as links, by the user's own lock; discovery follows links to nowhere else.
 *
 * Most locks have none, and then this is one look for a word.
 */
export function linkedFolders(home: string): readonly string[] {
  const file = join(home, "lock.json");
  const bytes = readBoundedFile(file, { maxBytes: MAX_LOCK_BYTES });
  const text = bytes === undefined ? "" : new TextDecoder().decode(bytes);
  if (!text.includes('"linked"')) return [];
  const entries = [...parseLock(text, file).skills.values()];
  return entries.flatMap(({ linked, resolved }) =>
    linked === true && resolved.kind === "local" ? [resolved.path] : [],
  );
}
