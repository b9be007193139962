import { lstatSync, type Stats } from "node:fs";
import { errorCode } from "../../error-code.ts";

const OPTIONS = { throwIfNoEntry: false } as const;

/** The status of a file, a link being one itself; nothing when it is not there or may not be asked about. */
export function statusOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, OPTIONS);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
