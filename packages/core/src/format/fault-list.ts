import type { Diagnostic, Severity } from "@skillet/kit/diagnostics";
import { locateKey } from "./locate-key.ts";

const NO_DIAGNOSTICS: readonly Diagnostic[] = Object.freeze([]);

// A header can hold thousands of faults, and finding the place of each costs a pass over it.
const MAX_DIAGNOSTICS = 100;

/** What a fault says, without its place. */
export interface Fault {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly hint: string;
}

/** Gathers the diagnostics of one file; a file without any costs no allocation but this. */
export class FaultList {
  readonly file: string;
  readonly mode: "strict" | "lenient";
  /** The header with LF line ends, and the line of the file on which it begins. */
  header = "";
  headerLine = 1;
  /** Whether faults are only counted: nobody has asked for them yet. */
  readonly isCounting: boolean;
  private list: Diagnostic[] | undefined = undefined;
  private count = 0;
  private errors = 0;
  private omitted = 0;

  constructor(file: string, mode: "strict" | "lenient", options: { readonly isCounting?: boolean } = {}) {
    this.file = file;
    this.mode = mode;
    this.isCounting = options.isCounting ?? false;
  }

  get isEmpty(): boolean {
    return this.count === 0;
  }

  get hasErrors(): boolean {
    return this.errors > 0;
  }

  /** Counts a fault that is not an error and whose text is not wanted. */
  countWarning(): void {
    this.count += 1;
  }

  /** Adds a fault at a place of the file. */
  add(fault: Fault, line: number, column: number): void {
    const { code, severity, message, hint } = fault;
    this.count += 1;
    if (severity === "error") this.errors += 1;
    if (this.isCounting || this.isFull()) return;
    this.list ??= [];
    this.list.push({ code, severity, message, file: this.file, range: { line, column }, hint });
  }

  /** Adds a fault of a key; a dotted path leads to a nested one. */
  addAtKey(fault: Fault, path: string): void {
    const { line, column } =
      this.omitted === 0 && !this.isCounting ? locateKey(this.header, path) : { line: 1, column: 1 };
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
