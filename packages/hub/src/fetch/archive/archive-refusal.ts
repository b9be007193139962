import { SkilletError } from "@skillet/kit/errors";
import { quoteName } from "@skillet/kit/text";

/** The error for an archive of which nothing is taken; it names the entry, where one is at fault. */
export function archiveRefusal(name: string, reason: string, entry?: string): SkilletError {
  const where = entry === undefined ? "" : ` because of its entry ${quoteName(entry)}`;
  return new SkilletError(
    "archive-refused",
    `The archive ${name} is refused${where}: ${reason}. Nothing of it was unpacked; ask whoever made it for a clean one.`,
    { data: { archive: name, reason, ...(entry === undefined ? {} : { entry: entry.slice(0, 256) }) } },
  );
}
