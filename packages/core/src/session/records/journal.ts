import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import type { Diagnostic, Severity } from "@skillet/kit/diagnostics";
import { SkilletError } from "@skillet/kit/errors";
import { parseJsonObject } from "@skillet/kit/json";
import { Log, type LogFault, type LogFormat, type LogLine, type TornLine } from "@skillet/kit/log";
import { array, digest, object, optional, readDocument, text, wholeNumber } from "@skillet/kit/schema";
import type { CallOptions } from "../../ask.ts";
import type { JournalStore } from "./journal-store.ts";
import { checkRecord, type JournalRecord, type RecoveryRecord } from "./session-record.ts";
import { MAX_RECORD_BYTES, type Shortened, type ShortenedField } from "./shorten-record.ts";

export const JOURNAL_FILE = "journal.jsonl";

/** The largest journal that is written or read: several hundred thousand records. */
export const MAX_JOURNAL_BYTES: number = 256 * 1024 * 1024;

export interface JournalEntry {
  /** Counts from 1 over all writers of the journal. */
  readonly sequence: number;
  readonly runId: string;
  readonly time: string;
  readonly record: JournalRecord;
  readonly shortened?: Shortened;
}

/** A line before its place in the journal is known; the record as JSON, shortened if too long. */
export interface JournalItem extends Pick<JournalEntry, "runId" | "time" | "shortened"> {
  readonly json: string;
}

export interface Journal {
  readonly exists: boolean;
  readonly entries: readonly JournalEntry[];
  readonly diagnostics: readonly Diagnostic[];
  /** That of the last whole line, even if this version does not understand it. */
  readonly lastSequence: number;
}

const EVIDENCE = "Keep the journal as evidence and start a new run in another folder.";

const FORMAT: LogFormat = {
  name: "journal",
  errorCodes: {
    unavailable: "records-unavailable",
    damaged: "journal-damaged",
    tooLong: "record-invalid",
    full: "records-full",
  },
  ifDamaged: "Keep it as evidence and start a new run in another folder",
  // A record, its run and time, and the list of shortened fields.
  maxLineBytes: MAX_RECORD_BYTES + 65_536,
  maxBytes: MAX_JOURNAL_BYTES,
  isChained: false,
  check: (value) => readDocument(frame, value, { name: "the line" }).faults[0]?.message,
};

const shortenedField = object<ShortenedField>({ field: text, length: wholeNumber(0), digest });
const frame = object<Omit<JournalEntry, "record">>({
  sequence: wholeNumber(1),
  runId: text,
  time: text,
  shortened: optional(object<Shortened>({ count: wholeNumber(1), fields: array(shortenedField) })),
});

/** If the last line is not `after`, someone else records here, and nothing is written. */
export async function appendJournal(
  runFolder: string,
  [first, ...others]: readonly [JournalItem, ...JournalItem[]],
  after?: number,
  onRecovered?: () => void,
): Promise<number> {
  const recover = ({ path, digest, bytes }: TornLine): string => {
    const note: RecoveryRecord = { kind: "recovery", file: basename(path), digest, bytes };
    return encode({ runId: first.runId, time: first.time, json: JSON.stringify(note) });
  };
  const check = (last: number): void => {
    if (last !== after) throw recordsInUse(runFolder, after);
  };
  const written = await logOf(runFolder).append(() => [first, ...others].map((item) => encode(item)), {
    recover,
    onRecovered,
    check: after === undefined ? undefined : check,
  });
  return written.sequence;
}

/** @param after The line that the refused one should have followed; 0 if a run was to begin. */
export function recordsInUse(place: JournalPlace, after?: number): SkilletError {
  const runFolder = showPlace(place);
  const message =
    after === 0
      ? `${runFolder} already holds a run, and each run needs a place of its own. Pass another, or continue that run from a program with skills.resume.`
      : `Another session has been recording into ${runFolder}. Close it, and continue the run in one place at a time.`;
  return new SkilletError("records-in-use", message, { data: { runFolder } });
}

/** A folder, or the host's own store. */
export type JournalPlace = string | JournalStore;

export function showPlace(place: JournalPlace): string {
  return typeof place === "string" ? place : "the journal store";
}

// The lines of a store in the form that a log gives; a host may return anything.
async function* storeLines(store: JournalStore): AsyncGenerator<LogLine<JournalEntry>> {
  let line = 0;
  let last = 0;
  let characters = 0;
  for await (const text of store.read() as AsyncIterable<unknown> | Iterable<unknown>) {
    line += 1;
    characters += 1 + (typeof text === "string" ? text.length : 0);
    const isReadable = typeof text === "string" && characters <= FORMAT.maxBytes;
    const value = isReadable ? parseJsonObject(text) : undefined;
    const fault =
      value === undefined ? "is not a JSON object, or beyond the most that is read" : FORMAT.check(value);
    const follows = value?.sequence === last + 1 ? undefined : "does not follow the line before it";
    const message = fault ?? follows;
    if (message !== undefined) yield { line, faults: [{ kind: "unreadable", message }] };
    else yield { line, value: value as unknown as JournalEntry, faults: [] };
    if (message === undefined) last += 1;
    if (!isReadable) return;
  }
}

/** @param sequence For a store, which does not number lines itself. */
export function encode({ runId, time, json, shortened }: JournalItem, sequence?: number): string {
  const marks = shortened === undefined ? "" : `,"shortened":${JSON.stringify(shortened)}`;
  return `${JSON.stringify({ sequence, runId, time }).slice(0, -1)},"record":${json}${marks}}`;
}

function logOf(runFolder: string): Log<JournalEntry> {
  return new Log(join(runFolder, JOURNAL_FILE), FORMAT);
}

/** Reads the journal of a run; a damaged line becomes a diagnostic with its number, and reading goes on. */
export async function readJournal(place: JournalPlace, options: CallOptions = {}): Promise<Journal> {
  const faults = new JournalFaults(showPlace(place));
  const entries: JournalEntry[] = [];
  for await (const entry of readEntries(place, faults, options)) entries.push(entry);
  const exists = typeof place === "string" ? existsSync(join(place, JOURNAL_FILE)) : faults.lastSequence > 0;
  return { exists, entries, diagnostics: faults.list(), lastSequence: faults.lastSequence };
}

/** The same between two records and with all of it on disk, for artefacts, which must not cover more. */
export function readSettledJournal(runFolder: string): Promise<Journal> {
  return logOf(runFolder).settled(() => readJournal(runFolder));
}

export async function* readEntries(
  place: JournalPlace,
  faults: JournalFaults,
  options: CallOptions,
): AsyncGenerator<JournalEntry> {
  const lines = typeof place === "string" ? logOf(place).lines(options) : storeLines(place);
  for await (const { line, value, faults: found } of lines) {
    options.signal?.throwIfAborted();
    const torn = found.find(({ kind }) => kind === "torn");
    for (const fault of torn === undefined ? found : [torn]) faults.add(line, fault);
    if (value === undefined || torn !== undefined) continue;
    faults.lastSequence = value.sequence;
    const problems = checkRecord(value.record);
    if (problems === "unknown") faults.addUnknown(line, value.record.kind);
    else if (problems[0] === undefined) yield value;
    else faults.add(line, { kind: "unreadable", message: `is not a record: ${problems[0]}` });
  }
}

// A file that is not a journal has as many faults as lines.
const MAX_FAULTS = 100;

const CODES = {
  "too-large": "journal-too-large",
  unreadable: "journal-line-damaged",
  changed: "journal-line-damaged",
  torn: "journal-line-torn",
  "out-of-sequence": "journal-out-of-sequence",
} as const satisfies Readonly<Record<LogFault["kind"], string>>;

const TORN = "The last line was cut short, or is being written; its record was never confirmed.";
const TOO_LARGE = `The journal is larger than ${MAX_JOURNAL_BYTES} bytes, the most that is written, and was not read.`;

export class JournalFaults {
  readonly #file: string;
  readonly #found: Diagnostic[] = [];
  #unlisted = 0;
  lastSequence = 0;

  constructor(runFolder: string) {
    this.#file = join(runFolder, JOURNAL_FILE);
  }

  add(line: number, { kind, message }: LogFault): void {
    const code = CODES[kind];
    if (kind === "torn") this.#push(code, "warning", line, TORN, "The next record moves it aside.");
    else this.#push(code, "error", line, kind === "too-large" ? TOO_LARGE : `The line ${message}.`, EVIDENCE);
  }

  addUnknown(line: number, kind: string): void {
    const message = `The record is of a kind that this version does not know: ${JSON.stringify(kind.slice(0, 100))}.`;
    this.#push("journal-record-unknown", "warning", line, message, "Read it with the version that wrote it.");
  }

  list(): readonly Diagnostic[] {
    const last = this.#found.at(-1);
    if (last === undefined || this.#unlisted === 0) return this.#found;
    const message = `There are ${this.#unlisted} more faults below this line.`;
    return [...this.#found, { ...last, code: CODES.unreadable, severity: "error", message, hint: EVIDENCE }];
  }

  #push(code: string, severity: Severity, line: number, message: string, hint: string): void {
    if (this.#found.length >= MAX_FAULTS) this.#unlisted += 1;
    else this.#found.push({ code, severity, message, file: this.#file, range: { line, column: 1 }, hint });
  }
}

export function runNotFound(place: JournalPlace): SkilletError {
  const runFolder = showPlace(place);
  const [lack, kind] = typeof place === "string" ? [JOURNAL_FILE, "folder"] : ["records", "store"];
  const message = `There is no run in ${runFolder}: it has no ${lack}. Pass the ${kind} that a session recorded into.`;
  return new SkilletError("run-not-found", message, { data: { runFolder } });
}
