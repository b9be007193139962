import { lstatSync, type Stats } from "node:fs";
import { leadsNowhere } from "@skillet/kit/files";

const OPTIONS = { throwIfNoEntry: false } as const;

/** The status of a file, a link being one itself; nothing when its path leads nowhere. */
export function statusOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, OPTIONS);
  } catch (error) {
    if (leadsNowhere(error)) return undefined;
    throw error;
  }
}
