import { listOf, objectOf, optional, ShapeCheck, text, wholeFrom } from "../../../registry/json-shape.ts";
import { digest } from "../../../registry/snapshot-shape.ts";
import { checkRecord, type JournalRecord } from "../record-shape.ts";
import { MAX_RECORD_BYTES, type Shortened, type ShortenedField } from "../shorten-record.ts";

/** One line of a journal. */
export interface JournalEntry {
  /** Counts from 1 over all writers of the journal. */
  readonly sequence: number;
  readonly runId: string;
  /** When it happened, as the recorder's clock saw it. */
  readonly time: string;
  readonly record: JournalRecord;
  readonly shortened?: Shortened;
}

/** What a line is before its place in the journal is known. */
export interface JournalItem {
  readonly runId: string;
  readonly time: string;
  /** The record as JSON, shortened where it was too long. */
  readonly json: string;
  readonly shortened?: Shortened;
}

/** The longest line that is written or read: a record, who and when, and what was shortened. */
export const MAX_JOURNAL_LINE_BYTES: number = MAX_RECORD_BYTES + 65_536;

/** What reading one line gave; a line can have its place in the sequence and yet no record known here. */
export interface DecodedLine {
  readonly sequence?: number;
  readonly entry?: JournalEntry;
  readonly problem?: string;
  /** The record is of a kind that only a later version knows. */
  readonly unknownKind?: string;
}

/** The bytes of one line, newline included. */
export function encodeJournalLine(sequence: number, item: JournalItem): Uint8Array {
  const { runId, time, json, shortened } = item;
  const frame = JSON.stringify({ sequence, runId, time }).slice(0, -1);
  const marks = shortened === undefined ? "" : `,"shortened":${JSON.stringify(shortened)}`;
  return Buffer.from(`${frame},"record":${json}${marks}}\n`);
}

/** Reads one line, without its newline, and says what is wrong with it. */
export function decodeJournalLine(bytes: Uint8Array): DecodedLine {
  const value = parse(bytes);
  if (value === undefined) return { problem: "it is not JSON" };
  const check = new ShapeCheck();
  frameShape(value, check);
  const [problem] = check.problems;
  if (problem !== undefined) return { problem };
  const entry = value as JournalEntry;
  const { sequence } = entry;
  const problems = checkRecord(entry.record);
  if (problems === "unknown") return { sequence, unknownKind: entry.record.kind };
  return problems[0] === undefined ? { sequence, entry } : { sequence, problem: `record: ${problems[0]}` };
}

const frameShape = objectOf<Omit<JournalEntry, "record">>({
  sequence: wholeFrom(1),
  runId: text,
  time: text,
  shortened: optional(
    objectOf<Shortened>({
      count: wholeFrom(1),
      fields: listOf(objectOf<ShortenedField>({ field: text, length: wholeFrom(0), digest })),
    }),
  ),
});

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}
