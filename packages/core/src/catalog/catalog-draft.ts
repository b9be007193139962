import type { Skill } from "../registry/skill.ts";
import { type CatalogEntry, catalogEntry } from "./catalog-entry.ts";
import type { CatalogForm } from "./catalog-form.ts";
import { countCodePoints, type MeasuredText } from "./code-points.ts";
import type { CatalogSearch } from "./omission.ts";
import { createTextScale, type TextScale } from "./text-scale.ts";

/** Stands behind a description that was shortened. */
export const ELLIPSIS = "…";

/** An entry without its description. */
interface BareEntry {
  readonly before: string;
  readonly after: string;
  /** With what separates it from the next entry. */
  readonly weight: number;
}

/** Skills in one form, ready to be fitted into any limit. */
export interface CatalogDraft {
  readonly form: CatalogForm;
  readonly size: number;
  /** Skills that are not in the draft at all. */
  readonly unlisted: number;
  readonly scale: TextScale;
  weigh(text: string): number;
  /** Written when first asked for: most of a large library never is. */
  entry(index: number): BareEntry;
  /** Laid out, but not escaped. */
  description(index: number): MeasuredText;
  /** The whole description, escaped. */
  written(index: number): string;
  /** All indexes, the most valuable first. */
  order(): readonly number[];
  /** Says how many skills are not there when so many of the draft are. */
  note(listed: number): string;
}

/** Begins a catalogue of these skills, in this order. */
export function draftCatalog(
  skills: readonly Skill[],
  options: {
    readonly form: CatalogForm;
    readonly weigh: (text: string) => number;
    readonly rank: () => readonly number[];
    readonly search: CatalogSearch | undefined;
    readonly unlisted: number;
  },
): CatalogDraft {
  const { form, weigh, search, unlisted } = options;
  const entries = skills.map(catalogEntry);
  const separatorWeight = weigh(form.separator);
  const description = remember(entries, (entry) => {
    const text = form.layOut(entry.description);
    return { text, codePoints: countCodePoints(text) };
  });
  return {
    form,
    size: skills.length,
    unlisted,
    scale: createTextScale(form.escapeText, weigh),
    weigh,
    entry: remember(entries, (entry) => {
      const before = form.before(entry);
      const after = form.after(entry);
      return { before, after, weight: weigh(before) + weigh(after) + separatorWeight };
    }),
    description,
    written: remember(entries, (_, index) => form.escapeText(description(index).text)),
    order: rememberOne(options.rank),
    note: (listed) => form.note({ count: skills.length + unlisted - listed, search }),
  };
}

function remember<Value>(
  entries: readonly CatalogEntry[],
  write: (entry: CatalogEntry, index: number) => Value,
): (index: number) => Value {
  const values: (Value | undefined)[] = new Array(entries.length);
  return (index) => (values[index] ??= write(entries[index] as CatalogEntry, index));
}

function rememberOne<Value>(make: () => Value): () => Value {
  let value: Value | undefined;
  return () => (value ??= make());
}
