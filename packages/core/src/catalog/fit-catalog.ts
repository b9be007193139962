import { oncePer } from "@skillet/kit/async";
import type { Skill } from "../registry/skill.ts";
import type { ResolvedBudget } from "./catalog-budget.ts";
import { type CatalogEntry, type CatalogForm, type CatalogSearch, catalogEntry } from "./catalog-forms.ts";
import type { CatalogGuidance } from "./catalog-guidance.ts";
import {
  type CatalogPlan,
  type CatalogStyle,
  NAME_ONLY,
  OMITTED,
  planCatalog,
  planWhole,
} from "./plan-catalog.ts";
import {
  countCodePoints,
  createTextScale,
  firstCodePoints,
  type MeasuredText,
  type TextScale,
} from "./text-scale.ts";

interface FittedCatalog {
  readonly plan: CatalogPlan;
  readonly text: string;
}

export function fitCatalog(draft: CatalogDraft, budget: ResolvedBudget): FittedCatalog {
  switch (budget.kind) {
    case "unlimited":
      return render(draft, planWhole(draft));
    case "weight":
      return render(draft, planCatalog(draft, budget.limit));
    case "counted":
      return searchLimit(draft, budget.fits);
  }
}

/** The first limit tried, and the precision of the search: a 64th. */
const FIRST_LIMIT = 64;
const PRECISION = 64;

/**
 * Searches, because a host's count need not be additive. The limits tried depend only on the answers so far.
 * A larger budget says yes wherever a smaller one does, so it never ends at a smaller limit, however odd the
 * count is.
 */
function searchLimit(draft: CatalogDraft, fits: (text: string) => boolean): FittedCatalog {
  let best = render(draft, planCatalog(draft, 0));
  let low = 0;
  let high = FIRST_LIMIT;
  for (; ; low = high, high *= 2) {
    const next = render(draft, planCatalog(draft, high));
    if (!fits(next.text)) break;
    best = next;
    if (next.plan.isWhole) return best;
  }
  while (high - low > Math.max(1, low / PRECISION)) {
    const middle = Math.floor((low + high) / 2);
    const next = render(draft, planCatalog(draft, middle));
    if (fits(next.text)) {
      low = middle;
      best = next;
    } else high = middle;
  }
  return best;
}

function render(draft: CatalogDraft, plan: CatalogPlan): FittedCatalog {
  return { plan, text: renderPlan(draft, plan) };
}

/** Writes a catalogue as planned; empty if there is neither an entry nor a note. */
function renderPlan(draft: CatalogDraft, { style, kept, note }: CatalogPlan): string {
  const { form } = draft;
  const parts: string[] = [];
  for (let index = 0; index < draft.size; index += 1) {
    const count = kept[index] ?? OMITTED;
    if (count !== OMITTED) parts.push(renderEntry(draft, index, { count, style }));
  }
  if (note !== undefined) parts.push(note);
  return parts.length === 0 ? "" : `${draft.start(style)}${parts.join(form.separator)}${form.end}`;
}

function renderEntry(
  draft: CatalogDraft,
  index: number,
  { count, style }: { readonly count: number; readonly style: CatalogStyle },
): string {
  const { form } = draft;
  const { before, after } = draft.entry(index, style);
  if (count === NAME_ONLY) return before + after;
  const measured = draft.description(index);
  const description =
    count === measured.codePoints
      ? draft.written(index)
      : form.escapeText(firstCodePoints(measured.text, count)) + ELLIPSIS;
  return before + form.descriptionStart + description + form.descriptionEnd + after;
}

export const ELLIPSIS = "…";

interface BareEntry {
  readonly before: string;
  readonly after: string;
  readonly weight: number;
}

export interface CatalogDraft {
  readonly form: CatalogForm;
  readonly size: number;
  readonly unlisted: number;
  readonly guidance: CatalogGuidance;
  readonly scale: TextScale;
  weigh(text: string): number;
  start(style: CatalogStyle): string;
  /** Written on first use: most entries of a large library never are. */
  entry(index: number, style: CatalogStyle): BareEntry;
  /** Laid out, but not escaped. */
  description(index: number): MeasuredText;
  written(index: number): string;
  order(): readonly number[];
  note(listed: number): string;
}

export function draftCatalog(
  skills: readonly Skill[],
  options: Pick<CatalogDraft, "form" | "guidance" | "weigh" | "unlisted"> & {
    readonly rank: () => readonly number[];
    readonly search: CatalogSearch | undefined;
  },
): CatalogDraft {
  const { form, guidance, weigh, search, unlisted } = options;
  const entries = skills.map(catalogEntry);
  const separatorWeight = weigh(form.separator);
  const description = (index: number): MeasuredText => measureDescription(skills[index] as Skill, form);
  let order: readonly number[] | undefined;
  const entriesIn = oncePer(({ maxLocation }: CatalogStyle) =>
    remember(entries, ({ name, userOnly, location }): BareEntry => {
      const head = { name, userOnly, ...(location.length < maxLocation && { location }) };
      const before = form.before(head);
      const after = form.after(head);
      return { before, after, weight: weigh(before) + weigh(after) + separatorWeight };
    }),
  );
  return {
    form,
    size: skills.length,
    unlisted,
    guidance,
    scale: createTextScale(form.escapeText, weigh),
    weigh,
    start: ({ guided }) => form.start(guided ? guidance : "none"),
    entry: (index, style) => entriesIn(style)(index),
    description,
    written: remember(entries, (_, index) => form.escapeText(description(index).text)),
    order: () => (order ??= options.rank()),
    note: (listed) => form.note({ count: skills.length + unlisted - listed, search }),
  };
}

// Cleaning a description scans every character, and every catalogue of every session needs all of them.
const descriptionsBy = oncePer((layOut: CatalogForm["layOut"]) =>
  oncePer((skill: Skill): MeasuredText => {
    const text = layOut(catalogEntry(skill).description);
    return { text, codePoints: countCodePoints(text) };
  }),
);

/** The description of a skill as a form lays it out; cleaned once per skill. */
export function measureDescription(skill: Skill, { layOut }: Pick<CatalogForm, "layOut">): MeasuredText {
  return descriptionsBy(layOut)(skill);
}

function remember<Value>(
  entries: readonly CatalogEntry[],
  write: (entry: CatalogEntry, index: number) => Value,
): (index: number) => Value {
  const values: (Value | undefined)[] = new Array(entries.length);
  return (index) => (values[index] ??= write(entries[index] as CatalogEntry, index));
}
