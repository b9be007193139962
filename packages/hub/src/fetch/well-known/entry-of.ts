import { SkilletError } from "@skillet/kit/errors";
import { quoteName } from "@skillet/kit/text";
import { showUrl } from "../http/show-url.ts";
import type { IndexEntry, SkillIndex } from "./index-entry.ts";

/** The entry of a name; that there is none, or one with a fault, is an error. */
export function entryOf({ entries, location, diagnostics }: SkillIndex, name: string): IndexEntry {
  const entry = entries.find((candidate) => candidate.name === name);
  if (entry !== undefined) return entry;
  const fault = diagnostics.find(({ message }) => message.includes(`(${quoteName(name)})`));
  const reason =
    fault === undefined
      ? "it may have been taken away or renamed"
      : `its entry cannot be used: ${fault.message}`;
  throw new SkilletError(
    "index-entry-missing",
    `The index ${showUrl(location)} has no skill ${quoteName(name.slice(0, 64))}; ${reason}. See what it offers, or tell whoever runs the site.`,
    { data: { index: showUrl(location), name: name.slice(0, 64) } },
  );
}
