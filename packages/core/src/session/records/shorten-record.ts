import { type Digest, digestBytes } from "@skillet/kit/digest";
import type { JournalRecord } from "./session-record.ts";

/** Records are shortened until they fit. */
export const MAX_RECORD_BYTES: number = 16 * 1024 * 1024;

const MAX_LISTED_FIELDS = 50;

// From generous to strict; the first that fits is used. 100,000 skills by name and digest fit the first, and
// every record without extra fields fits the last. A digest has 71 characters and must stay whole.
const STEPS = [
  { characters: 8192, items: 100_000 },
  { characters: 1024, items: 10_000 },
  { characters: 256, items: 1000 },
  { characters: 128, items: 100 },
  { characters: 128, items: 10 },
] as const;

/** A field that was cut: its full length, in characters or items, and the digest of its full JSON. */
export interface ShortenedField {
  readonly field: string;
  readonly length: number;
  readonly digest: Digest;
}

export interface Shortened {
  readonly count: number;
  readonly fields: readonly ShortenedField[];
}

interface ShortRecord {
  readonly json: string;
  readonly shortened?: Shortened;
}

/** Turns a record into JSON of bounded length and lists shortened fields, so that no loss is silent. */
export function shortenRecord(record: JournalRecord): ShortRecord {
  let result: ShortRecord = { json: "" };
  for (const limits of STEPS) {
    result = shortenTo(limits, record);
    if (Buffer.byteLength(result.json) <= MAX_RECORD_BYTES) break;
  }
  return result;
}

function shortenTo({ characters, items }: (typeof STEPS)[number], record: JournalRecord): ShortRecord {
  const fields: ShortenedField[] = [];
  let count = 0;
  const note = (field: string, value: string | readonly unknown[]): void => {
    count += 1;
    if (fields.length >= MAX_LISTED_FIELDS) return;
    fields.push({ field, length: value.length, digest: digestBytes(Buffer.from(JSON.stringify(value))) });
  };
  const shorten = (value: unknown, field: string): unknown => {
    if (typeof value === "string") {
      if (value.length <= characters) return value;
      note(field, value);
      // A lone surrogate is not a character.
      return `${value.slice(0, characters - 1).replace(/[\ud800-\udbff]$/, "")}…`;
    }
    if (Array.isArray(value)) {
      if (value.length > items) note(field, value);
      return value.slice(0, items).map((item, index) => shorten(item, `${field}[${index}]`));
    }
    if (typeof value !== "object" || value === null) return value;
    const prefix = field === "" ? "" : `${field}.`;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, shorten(item, `${prefix}${key}`)]),
    );
  };
  const json = JSON.stringify(shorten(record, ""));
  return count === 0 ? { json } : { json, shortened: { count, fields } };
}
