import type { CatalogEntry } from "./catalog-entry.ts";
import type { Omission } from "./omission.ts";

/**
 * How a catalogue is written down: `start`, then entries and perhaps a note with `separator` between them, then `end`.
 *
 * An entry is `before`, its description between `descriptionStart` and `descriptionEnd`, and `after`; one without a
 * description is `before` and `after` alone.
 */
export interface CatalogForm {
  readonly start: string;
  readonly separator: string;
  readonly end: string;
  readonly descriptionStart: string;
  readonly descriptionEnd: string;
  before(entry: CatalogEntry): string;
  after(entry: CatalogEntry): string;
  /** A description as the form can hold it, not yet escaped: on one line where an entry has one line. */
  layOut(description: string): string;
  /** Works on each character alone, so that part of a text can be weighed without writing it. */
  escapeText(text: string): string;
  /** The last line of a catalogue that leaves skills out. */
  note(omission: Omission): string;
}
