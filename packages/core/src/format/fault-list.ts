import type { Diagnostic, Severity } from "@skillet/kit/diagnostics";

const NO_DIAGNOSTICS: readonly Diagnostic[] = Object.freeze([]);

// A header can hold thousands of faults, and finding the place of each costs a pass over it.
const MAX_DIAGNOSTICS = 100;

export interface Fault {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly hint: string;
}

/** Gathers the diagnostics of one file, or only counts them; a file without any costs no allocation but this. */
export class FaultList {
  readonly file: string;
  readonly mode: "strict" | "lenient";
  readonly #isCounter: boolean;
  #count = 0;
  /** The header with LF line ends, and the line of the file on which it begins. */
  header = "";
  headerLine = 1;
  private list: Diagnostic[] | undefined = undefined;
  private errors = 0;
  private omitted = 0;

  constructor(
    file: string,
    mode: "strict" | "lenient",
    { isCounter = false }: { readonly isCounter?: boolean } = {},
  ) {
    this.file = file;
    this.mode = mode;
    this.#isCounter = isCounter;
  }

  /** Whether there are faults that were only counted. */
  get hasLeftOut(): boolean {
    return this.#isCounter && this.#count > 0;
  }

  get hasErrors(): boolean {
    return this.errors > 0;
  }

  add(fault: Fault, line: number, column: number): void {
    const { code, severity, message, hint } = fault;
    this.#count += 1;
    if (severity === "error") this.errors += 1;
    if (this.#isCounter || this.isFull()) return;
    this.list ??= [];
    this.list.push({ code, severity, message, file: this.file, range: { line, column }, hint });
  }

  /** Adds a fault of a key; a dotted path leads to a nested one. */
  addAtKey(fault: Fault, path: string): void {
    const isTold = !this.#isCounter && this.omitted === 0;
    const { line, column } = isTold ? locateKey(this.header, path) : { line: 1, column: 1 };
    this.add(fault, this.headerLine + line - 1, column);
  }

  /** Adds a fault that the specification does not allow, and that lenient loading only warns about. */
  addUnlessLenient(fault: Omit<Fault, "severity">, path: string): void {
    const { code, message, hint } = fault;
    this.addAtKey({ code, severity: this.mode === "strict" ? "error" : "warning", message, hint }, path);
  }

  /** All faults by place, so that their order does not depend on how the header was read. */
  finish(): readonly Diagnostic[] {
    if (this.list === undefined) return NO_DIAGNOSTICS;
    if (this.list.length > 1) this.list.sort(byPlace);
    if (this.omitted > 0) this.list.push(this.describeOmitted());
    return this.list;
  }

  private isFull(): boolean {
    if (this.list === undefined || this.list.length < MAX_DIAGNOSTICS) return false;
    this.omitted += 1;
    return true;
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

function byPlace(left: Diagnostic, right: Diagnostic): number {
  return (
    (left.range?.line ?? 0) - (right.range?.line ?? 0) ||
    (left.range?.column ?? 0) - (right.range?.column ?? 0) ||
    (left.code < right.code ? -1 : Number(left.code > right.code))
  );
}

/** Where a key stands in a header, counted from 1; a dotted path leads to a nested key. */
export function locateKey(header: string, path: string): { readonly line: number; readonly column: number } {
  const [first = "", ...nested] = path.split(".");
  const top = findTopLevel(header, first);
  if (top === undefined) return { line: 1, column: 1 };
  let offset = top.offset;
  for (const key of nested) {
    const found = findNested(header, key, offset, top.end);
    if (found === -1) break;
    offset = found;
  }
  return position(header, offset, top);
}

interface Region {
  readonly offset: number;
  readonly end: number;
  readonly line: number;
}

/** The last line that begins with the key, because the last of two values wins, and the lines that belong to it. */
function findTopLevel(header: string, key: string): Region | undefined {
  let found: Region | undefined;
  let line = 1;
  for (let start = 0; start < header.length; line += 1) {
    const stop = lineEnd(header, start);
    if (isKeyAt(header, key, start)) found = { offset: start, end: regionEnd(header, stop), line };
    start = stop + 1;
  }
  return found;
}

function lineEnd(header: string, start: number): number {
  const stop = header.indexOf("\n", start);
  return stop === -1 ? header.length : stop;
}

function isKeyAt(header: string, key: string, start: number): boolean {
  const quote = header[start] === '"' || header[start] === "'" ? 1 : 0;
  if (!header.startsWith(key, start + quote)) return false;
  let at = start + quote + key.length + quote;
  while (header[at] === " ") at += 1;
  return header[at] === ":";
}

function regionEnd(header: string, lineStop: number): number {
  let end = lineStop;
  while (end < header.length && " \n-#}]".includes(header[end + 1] ?? "x")) end = lineEnd(header, end + 1);
  return end;
}

function findNested(header: string, key: string, from: number, end: number): number {
  for (let at = header.indexOf(key, from + 1); at !== -1 && at < end; at = header.indexOf(key, at + 1)) {
    const before = header[at - 1] ?? "";
    const start = before === '"' || before === "'" ? at - 1 : at;
    if (isKeyAt(header, key, start) && " {,\n".includes(header[start - 1] ?? "\n")) return start;
  }
  return -1;
}

function position(header: string, offset: number, top: Region): { line: number; column: number } {
  let line = top.line;
  let lineStart = top.offset;
  for (let stop = lineEnd(header, lineStart); stop < offset; stop = lineEnd(header, lineStart)) {
    line += 1;
    lineStart = stop + 1;
  }
  return { line, column: offset - lineStart + 1 };
}
