import { type CatalogDraft, ELLIPSIS } from "./catalog-draft.ts";
import { unitOfCodePoint } from "./code-points.ts";
import { type CatalogPlan, NAME_ONLY, OMITTED } from "./plan-catalog.ts";

/** Writes a catalogue as planned; nothing at all when there is neither an entry nor a note. */
export function renderPlan(draft: CatalogDraft, { kept, note }: CatalogPlan): string {
  const { form } = draft;
  const parts: string[] = [];
  for (let index = 0; index < draft.size; index += 1) {
    const count = kept[index] ?? OMITTED;
    if (count !== OMITTED) parts.push(renderEntry(draft, index, count));
  }
  if (note !== undefined) parts.push(note);
  return parts.length === 0 ? "" : `${form.start}${parts.join(form.separator)}${form.end}`;
}

function renderEntry(draft: CatalogDraft, index: number, count: number): string {
  const { form } = draft;
  const { before, after } = draft.entry(index);
  if (count === NAME_ONLY) return before + after;
  const measured = draft.description(index);
  const description =
    count === measured.codePoints
      ? draft.written(index)
      : form.escapeText(measured.text.slice(0, unitOfCodePoint(measured, count))) + ELLIPSIS;
  return before + form.descriptionStart + description + form.descriptionEnd + after;
}
