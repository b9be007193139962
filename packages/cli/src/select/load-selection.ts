import type { readLearned, Selector, SelectorOptions, Snapshot } from "@skillet/core";
import { loadSelecting } from "./load-selecting.ts";

/** What core takes of its selector. */
interface SelectionModule {
  readonly createSelector: (snapshot: Snapshot, options?: SelectorOptions) => Promise<Selector>;
  readonly readLearned: typeof readLearned;
}

/** Stands in for the module of core by which it loads its selector; the build puts it there. */
export async function loadSelection(): Promise<SelectionModule> {
  return loadSelecting();
}
