import { isUtf8 } from "node:buffer";
import { readdirSync } from "node:fs";

/** What a byte that is not UTF-8 is decoded to; a name that holds it may not be the name on disk. */
const REPLACEMENT = "\ufffd";

export function mayBeUndecodable(name: string): boolean {
  return name.includes(REPLACEMENT);
}

/**
 * The names in a folder that are not UTF-8, as they are shown.
 *
 * No such file can be opened by the name that a listing gives. One with the same shown name may lie beside it, so
 * that a look at the shown name would find something, and the other would be passed over.
 */
export function undecodableNames(directory: string): string[] {
  return readdirSync(directory, { encoding: "buffer" })
    .filter((name) => !isUtf8(name))
    .map((name) => name.toString("utf8"));
}
