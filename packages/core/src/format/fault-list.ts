import type { Diagnostic, Severity } from "@skillet/kit/diagnostics";

const NO_DIAGNOSTICS: readonly Diagnostic[] = Object.freeze([]);

// A header can have thousands of faults, and locating each takes a pass over the header.
const MAX_DIAGNOSTICS = 100;

export interface Fault {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly hint: string;
}

export function asSentence(clause: string, end = ""): string {
  const sentence = `${clause.charAt(0).toUpperCase()}${clause.slice(1)}${end}`;
  return /[.?]$/.test(sentence) ? sentence : `${sentence}.`;
}

/** Collects the diagnostics of one file; a file without any costs no further allocation. */
export class FaultList {
  readonly file: string;
  readonly mode: "strict" | "lenient";
  /** The header with LF line ends, and the line of the file on which it begins. */
  header = "";
  headerLine = 1;
  private list: Diagnostic[] | undefined = undefined;
  private errors = 0;
  private omitted = 0;

  constructor(file: string, mode: "strict" | "lenient") {
    this.file = file;
    this.mode = mode;
  }

  get hasErrors(): boolean {
    return this.errors > 0;
  }

  add(fault: Fault, line: number, column: number): void {
    const { code, severity, message, hint } = fault;
    if (severity === "error") this.errors += 1;
    this.list ??= [];
    if (this.list.length >= MAX_DIAGNOSTICS) this.omitted += 1;
    else this.list.push({ code, severity, message, file: this.file, range: { line, column }, hint });
  }

  addAtKey(fault: Fault, path: string, at: "key" | "value" = "key"): void {
    const { line, column } = this.omitted === 0 ? locateKey(this.header, path, at) : { line: 1, column: 1 };
    this.add(fault, this.headerLine + line - 1, column);
  }

  /** Reports a fault of a key's value, at the value. */
  addUnlessLenient(fault: Omit<Fault, "severity">, path: string): void {
    const severity = this.mode === "strict" ? "error" : "warning";
    this.addAtKey({ ...fault, severity }, path, "value");
  }

  /** All diagnostics by position, so that their order does not depend on how the header was read. */
  finish(): readonly Diagnostic[] {
    if (this.list === undefined) return NO_DIAGNOSTICS;
    if (this.list.length > 1) this.list.sort(byPlace);
    if (this.omitted > 0) this.list.push(this.describeOmitted());
    return this.list;
  }

  private describeOmitted(): Diagnostic {
    return {
      code: "more-faults",
      severity: this.hasErrors ? "error" : "warning",
      message: `The file has ${this.omitted} more faults that are not listed.`,
      file: this.file,
      range: { line: this.headerLine, column: 1 },
      hint: "Correct the ones that are listed, and check again.",
    };
  }
}

/** For skimming a header. */
class NoFaults extends FaultList {
  override add(): void {
    // The full reading of the header finds the faults again.
  }
  override addAtKey(): void {
    // Locating the key would take longer than reading the header.
  }
}

export const NO_FAULTS: FaultList = new NoFaults("", "lenient");

function byPlace(left: Diagnostic, right: Diagnostic): number {
  return (
    (left.range?.line ?? 0) - (right.range?.line ?? 0) ||
    (left.range?.column ?? 0) - (right.range?.column ?? 0) ||
    (left.code < right.code ? -1 : Number(left.code > right.code))
  );
}

interface Place {
  readonly line: number;
  readonly column: number;
}

/**
 * The position in a header, counted from 1, of a key or of the value on its line. A dotted path means a
 * nested key, or its nearest ancestor that exists.
 */
export function locateKey(header: string, path: string, at: "key" | "value" = "key"): Place {
  const lines = header.split("\n");
  const [first = "", ...nested] = path.split(".");
  // If a key is given twice, the last value counts.
  const top = lines.findLastIndex((line) => isKeyAt(line, first, 0));
  if (top === -1) return { line: 1, column: 1 };
  let end = top + 1;
  while (end < lines.length && /^(?:[ #}\]-]|$)/.test(lines[end] ?? "")) end += 1;
  let place: Place = { line: top, column: 0 };
  for (const key of nested) {
    const found = findNested(lines.slice(0, end), key, place);
    if (found === undefined) break;
    place = found;
  }
  const toValue =
    at === "key" ? undefined : /^[^:]*: +(?=\S)/.exec(lines[place.line]?.slice(place.column) ?? "");
  return { line: place.line + 1, column: place.column + (toValue?.[0].length ?? 0) + 1 };
}

function isKeyAt(line: string, key: string, start: number): boolean {
  const quote = line[start] === '"' || line[start] === "'" ? 1 : 0;
  if (!line.startsWith(key, start + quote)) return false;
  let at = start + quote + key.length + quote;
  while (line[at] === " ") at += 1;
  return line[at] === ":";
}

function findNested(lines: readonly string[], key: string, after: Place): Place | undefined {
  for (let line = after.line; line < lines.length; line += 1) {
    const text = lines[line] ?? "";
    let at = text.indexOf(key, line === after.line ? after.column + 1 : 0);
    for (; at !== -1 && at < text.length; at = text.indexOf(key, at + 1)) {
      const before = text[at - 1] ?? "";
      const start = before === '"' || before === "'" ? at - 1 : at;
      if (isKeyAt(text, key, start) && " {,".includes(text[start - 1] ?? " ")) return { line, column: start };
    }
  }
  return undefined;
}
