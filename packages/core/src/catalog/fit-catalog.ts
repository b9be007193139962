import type { ResolvedBudget } from "./catalog-budget.ts";
import type { CatalogDraft } from "./catalog-draft.ts";
import { type CatalogPlan, planCatalog, planWhole } from "./plan-catalog.ts";
import { renderPlan } from "./render-plan.ts";
import { MAX_DESCRIPTION_CODE_POINTS } from "./share-room.ts";

/** A plan and the text it makes. */
export interface FittedCatalog {
  readonly plan: CatalogPlan;
  readonly text: string;
}

/** The most of a draft that keeps to a budget. */
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

/** Where the search begins, and how closely it ends: within a 64th. */
const FIRST_LIMIT = 64;
const PRECISION = 64;

/**
 * Searches the largest limit in characters whose text still fits, since a host's count need not add up.
 *
 * Which limits are tried depends on nothing but the answers so far. A larger budget answers yes wherever a smaller one
 * does, so it never ends at a smaller limit, however odd the count is.
 */
function searchLimit(draft: CatalogDraft, fits: (text: string) => boolean): FittedCatalog {
  let best = render(draft, planCatalog(draft, 0));
  let low = 0;
  let high = FIRST_LIMIT;
  for (; ; low = high, high *= 2) {
    const next = render(draft, planCatalog(draft, high));
    if (!fits(next.text)) break;
    best = next;
    if (isWhole(draft, next.plan)) return best;
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

/** Whether a larger limit would change nothing. */
function isWhole(draft: CatalogDraft, { kept }: CatalogPlan): boolean {
  return kept.every(
    (count, index) => count >= Math.min(draft.description(index).codePoints, MAX_DESCRIPTION_CODE_POINTS),
  );
}

function render(draft: CatalogDraft, plan: CatalogPlan): FittedCatalog {
  return { plan, text: renderPlan(draft, plan) };
}
