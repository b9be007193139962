import type { Diagnostic, Severity } from "@skillet/kit/diagnostics";

/** Gathers the faults of one text, with lines and columns, up to a bound. */
export class DiagnosticList {
  readonly all: Diagnostic[] = [];
  readonly #file: string;
  readonly #text: string;

  constructor(file: string, text: string) {
    this.#file = file;
    this.#text = text;
  }

  /** An error, with what to do about it. */
  add(code: string, offset: number, message: string, hint: string): void {
    this.#push("error", code, offset, message, hint);
  }

  warn(code: string, offset: number, message: string, hint: string): void {
    this.#push("warning", code, offset, message, hint);
  }

  #push(severity: Severity, code: string, offset: number, message: string, hint: string): void {
    if (this.all.length >= MAX_DIAGNOSTICS) return;
    const before = this.#text.slice(0, offset);
    const lineStart = before.lastIndexOf("\n") + 1;
    const line = before.split("\n").length;
    this.all.push({
      code,
      severity,
      message,
      file: this.#file,
      range: { line, column: offset - lineStart + 1 },
      hint,
    });
  }
}

/** More are no help, and each costs a look at the text before it. */
const MAX_DIAGNOSTICS = 100;
