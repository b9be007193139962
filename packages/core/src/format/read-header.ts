import type { HeaderFault } from "./describe-yaml-errors.ts";
import type { RawHeader } from "./raw-header.ts";
import { readPlainHeader } from "./read-plain-header.ts";
import { isHeaderFault, readYamlHeader } from "./read-yaml-header.ts";
import { repairHeader } from "./repair-header.ts";

/** Reads a header with LF line ends; in lenient mode with repairs, each of which leaves a note. */
export function readHeader(text: string, mode: "strict" | "lenient"): RawHeader | HeaderFault {
  const plain = readPlainHeader(text);
  if (plain !== undefined && (mode === "lenient" || !isRepaired(plain))) return plain;
  return readHeaderWithLibrary(text, mode);
}

/** The same without the fast path, which tests hold against this. */
export function readHeaderWithLibrary(text: string, mode: "strict" | "lenient"): RawHeader | HeaderFault {
  const read = readYamlHeader(text);
  if (!isHeaderFault(read) || mode === "strict" || read.kind === "refused") return read;
  const repaired = repairHeader(text);
  // If no repair helps, the fault that is reported is that of the text as it stands.
  if (repaired === undefined) return read;
  return { ...repaired.header, notes: [...repaired.header.notes, ...repaired.notes] };
}

function isRepaired(header: RawHeader): boolean {
  return header.notes.some(({ code }) => code === "unquoted-colon");
}
