import type { Fault, FaultList } from "./fault-list.ts";
import type { HeaderNote, HeaderNoteCode, RawHeader } from "./raw-header.ts";
import { readPlainHeader } from "./read-plain-header.ts";
import { type HeaderFault, isHeaderFault, readYamlHeader } from "./read-yaml-header.ts";
import { repairHeader } from "./repair-header.ts";

/** Reads a header with LF line ends; lenient mode makes repairs and leaves a note for each. */
export function readHeader(text: string, mode: "strict" | "lenient"): RawHeader | HeaderFault {
  const plain = readPlainHeader(text);
  const isRepaired = plain?.notes.some(({ code }) => code === "unquoted-colon");
  if (plain !== undefined && (mode === "lenient" || !isRepaired)) return plain;
  return readHeaderWithLibrary(text, mode);
}

/** `readHeader` without the fast path; tests compare the two. */
export function readHeaderWithLibrary(text: string, mode: "strict" | "lenient"): RawHeader | HeaderFault {
  const read = readYamlHeader(text);
  if (!isHeaderFault(read) || mode === "strict" || read.kind === "refused") return read;
  const repaired = repairHeader(text);
  // If no repair helps, report the fault of the unchanged text.
  if (repaired === undefined) return read;
  return { ...repaired.header, notes: [...repaired.header.notes, ...repaired.notes] };
}

const NOTES: Readonly<Record<HeaderNoteCode, Omit<Fault, "code">>> = {
  "unquoted-colon": {
    severity: "info",
    message: "The value holds a colon and a space without being quoted; it was read as if it were.",
    hint: "Put the whole value in quotes.",
  },
  "unquoted-value": {
    severity: "info",
    message: "The value is not valid YAML; it was read as if it were quoted.",
    hint: "Put the whole value in quotes.",
  },
  "unclosed-bracket": {
    severity: "warning",
    message: "The value lacks closing brackets at its end; it was read as if they were there.",
    hint: "Add the missing brackets.",
  },
  "tab-indentation": {
    severity: "info",
    message: "The line is indented with a tab, which YAML does not allow; it was read as two spaces.",
    hint: "Indent with spaces.",
  },
  "flow-style": {
    severity: "info",
    message: "The value is written with brackets, which the reference validator rejects.",
    hint: "Write one entry on each line, indented by two spaces.",
  },
  "duplicate-key": {
    severity: "warning",
    message: "The key is there twice; the last value is taken.",
    hint: "Keep one of the two.",
  },
  "line-ignored": {
    severity: "warning",
    message: "The line cannot be read and is ignored.",
    hint: "Correct it to key: value, or remove it.",
  },
};

export function reportNotes(notes: readonly HeaderNote[], faults: FaultList): void {
  for (const { code, line, column } of notes) {
    const isError = code === "duplicate-key" && faults.mode === "strict";
    const severity = isError ? "error" : NOTES[code].severity;
    faults.add({ code, ...NOTES[code], severity }, faults.headerLine + line - 1, column);
  }
}

export function reportHeaderFault(fault: HeaderFault, faults: FaultList): void {
  for (const each of [fault, ...(fault.others ?? [])])
    faults.add({ ...each, severity: "error" }, faults.headerLine + each.line - 1, each.column);
}
