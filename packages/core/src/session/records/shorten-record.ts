import { type Digest, digestBytes } from "@skillet/kit/digest";
import type { JournalRecord } from "./record-shape.ts";

/** A record of at most this many bytes is written whole but for texts that nobody would read to the end. */
export const MAX_RECORD_BYTES: number = 16 * 1024 * 1024;

const MAX_LISTED_FIELDS = 50;

interface Limits {
  readonly characters: number;
  readonly items: number;
}

// From generous to meagre; the first under which the record fits is taken. 100,000 skills by name and digest fit it.
const STEPS: readonly Limits[] = [
  { characters: 8192, items: 100_000 },
  { characters: 1024, items: 10_000 },
  { characters: 256, items: 1000 },
  { characters: 128, items: 100 },
];
// Under this every record fits that has no fields of its own. A digest has 71 characters and must stay whole.
const LAST_STEP: Limits = { characters: 128, items: 10 };

/** A field of which only the beginning was kept: how long it was, in characters or items, and what its JSON hashed to. */
export interface ShortenedField {
  readonly field: string;
  readonly length: number;
  readonly digest: Digest;
}

/** Which fields of a record were shortened; the first of them by name. */
export interface Shortened {
  readonly count: number;
  readonly fields: readonly ShortenedField[];
}

/** Turns a record into JSON of bounded length; what had to be shortened is named, so that nothing is lost in silence. */
export function shortenRecord(record: JournalRecord): {
  readonly json: string;
  readonly shortened?: Shortened;
} {
  for (const limits of STEPS) {
    const result = shortenTo(limits, record);
    if (Buffer.byteLength(result.json) <= MAX_RECORD_BYTES) return result;
  }
  return shortenTo(LAST_STEP, record);
}

function shortenTo(limits: Limits, record: JournalRecord): ReturnType<typeof shortenRecord> {
  const shortening = new Shortening(limits);
  const json = JSON.stringify(shortening.apply(record, ""));
  const { count, fields } = shortening;
  return count === 0 ? { json } : { json, shortened: { count, fields } };
}

class Shortening {
  readonly fields: ShortenedField[] = [];
  count = 0;
  readonly #limits: Limits;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  apply(value: unknown, field: string): unknown {
    if (typeof value === "string") return this.#text(value, field);
    if (Array.isArray(value)) return this.#list(value, field);
    if (typeof value !== "object" || value === null) return value;
    const prefix = field === "" ? "" : `${field}.`;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, this.apply(item, `${prefix}${key}`)]),
    );
  }

  #text(value: string, field: string): string {
    const { characters } = this.#limits;
    if (value.length <= characters) return value;
    this.#note(field, value);
    // Half of a surrogate pair is no character.
    return `${value.slice(0, characters - 1).replace(/[\ud800-\udbff]$/, "")}…`;
  }

  #list(value: readonly unknown[], field: string): unknown[] {
    const { items } = this.#limits;
    if (value.length > items) this.#note(field, value);
    return value.slice(0, items).map((item, index) => this.apply(item, `${field}[${index}]`));
  }

  #note(field: string, value: string | readonly unknown[]): void {
    this.count += 1;
    if (this.fields.length >= MAX_LISTED_FIELDS) return;
    const digest = digestBytes(Buffer.from(JSON.stringify(value)));
    this.fields.push({ field, length: value.length, digest });
  }
}
