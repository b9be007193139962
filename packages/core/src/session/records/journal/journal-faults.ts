import type { Diagnostic, Severity } from "@skillet/kit/diagnostics";
import { MAX_JOURNAL_BYTES } from "./journal-file.ts";

// A file that is no journal has as many faults as lines.
const MAX_FAULTS = 100;

const EVIDENCE = "Keep the journal as evidence and start a new run in another folder.";

/** Collects what is wrong with a journal, line by line. */
export class JournalFaults {
  readonly #file: string;
  readonly #found: Diagnostic[] = [];
  #unlisted = 0;

  constructor(file: string) {
    this.#file = file;
  }

  damaged(line: number, problem: string): void {
    this.#add("journal-line-damaged", "error", line, `The line is not a record: ${problem}.`, EVIDENCE);
  }

  outOfSequence(line: number, sequence: number, expected: number): void {
    const message = `The line has number ${sequence} where ${expected} is due: lines were removed, added or moved.`;
    this.#add("journal-out-of-sequence", "error", line, message, EVIDENCE);
  }

  tooLarge(): void {
    const message = `The journal is larger than ${MAX_JOURNAL_BYTES} bytes, the most that is written, and was not read.`;
    this.#add("journal-too-large", "error", 1, message, EVIDENCE);
  }

  torn(line: number): void {
    const message = "The last line was cut short, or is being written; its record was never confirmed.";
    this.#add("journal-line-torn", "warning", line, message, "The next record moves it aside.");
  }

  unknown(line: number, kind: string): void {
    const message = `The record is of a kind that this version does not know: ${JSON.stringify(kind.slice(0, 100))}.`;
    this.#add("journal-record-unknown", "warning", line, message, "Read it with the version that wrote it.");
  }

  list(): readonly Diagnostic[] {
    const last = this.#found.at(-1);
    if (last === undefined || this.#unlisted === 0) return this.#found;
    const rest: Diagnostic = {
      ...last,
      code: "journal-line-damaged",
      severity: "error",
      message: `There are ${this.#unlisted} more faults below this line.`,
      hint: EVIDENCE,
    };
    return [...this.#found, rest];
  }

  #add(code: string, severity: Severity, line: number, message: string, hint: string): void {
    if (this.#found.length >= MAX_FAULTS) this.#unlisted += 1;
    else this.#found.push({ code, severity, message, file: this.#file, range: { line, column: 1 }, hint });
  }
}
