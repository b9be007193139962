import type { Snapshot } from "../registry/snapshot.ts";
import type { Selector, SelectorOptions } from "../select/selector.ts";
import { loadSelection } from "./load-selection.ts";

/**
 * Prepares the enabled skills of a snapshot for messages; what did not change since the last time is not read again.
 *
 * @example
 * const selector = await createSelector(skills.snapshot, { readBody, cacheFile: "selection.idx" });
 * selector.select("turn this contract.pdf into text");
 * // [{ skill, score: 0.91, reasons: ["extension .pdf", "words \"contract\" in name or description"] }]
 */
export async function createSelector(snapshot: Snapshot, options: SelectorOptions = {}): Promise<Selector> {
  const selection = await loadSelection();
  return selection.createSelector(snapshot, options);
}
