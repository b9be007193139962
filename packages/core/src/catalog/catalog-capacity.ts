import { resolveBudget } from "./catalog-budget.ts";
import type { CatalogForm } from "./catalog-form.ts";
import { checkedCount } from "./count-tokens.ts";
import { type CatalogOptions, formOf } from "./create-catalog.ts";
import { UNITS_PER_TOKEN } from "./estimate-tokens.ts";

/** How many skills a budget has room for. */
export interface CatalogCapacity {
  /** More cannot be listed, not even by names of one letter. */
  readonly atMost: number;
  /** So many have room for a description that says when to use them. */
  readonly comfortable: number;
}

/** What an entry usually takes with most of its description. */
const USUAL_ENTRY_WEIGHT = 320;
const MIN_COMFORTABLE = 8;
const MAX_COMFORTABLE = 150;

/** Estimates, from the budget alone, how many skills a catalogue can list. */
export function catalogCapacity(options: CatalogOptions): CatalogCapacity {
  const count = options.countTokens === undefined ? undefined : checkedCount(options.countTokens);
  const budget = resolveBudget(options.budget, count);
  if (budget.kind === "unlimited")
    return { atMost: Number.POSITIVE_INFINITY, comfortable: Number.POSITIVE_INFINITY };
  const form = formOf(options.format ?? "xml");
  // However a host counts, an entry takes a token or more.
  const least = budget.kind === "counted" ? 1 : weighShortest(form, budget.weigh);
  const limit = budget.kind === "counted" ? budget.tokens : budget.limit;
  const units = budget.kind === "counted" ? limit * UNITS_PER_TOKEN : limit;
  const comfortable = Math.floor(units / USUAL_ENTRY_WEIGHT);
  return {
    atMost: Math.ceil(limit / least),
    comfortable: Math.min(MAX_COMFORTABLE, Math.max(MIN_COMFORTABLE, comfortable)),
  };
}

function weighShortest(form: CatalogForm, weigh: (text: string) => number): number {
  const entry = { name: "", description: "", location: "" };
  return Math.max(1, weigh(form.before(entry)) + weigh(form.after(entry)) + weigh(form.separator));
}
