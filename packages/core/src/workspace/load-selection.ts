import type { createSelector } from "../select/create-selector.ts";
import type { readLearned } from "../select/learned/read-learned.ts";

interface SelectionModule {
  readonly createSelector: typeof createSelector;
  readonly readLearned: typeof readLearned;
}

/**
 * Loads the selector on first need: most programs that list or load skills never rank any.
 *
 * A file of its own, because the command's build puts another one in its place.
 */
export async function loadSelection(): Promise<SelectionModule> {
  const [selecting, learning] = await Promise.all([
    import("../select/create-selector.ts"),
    import("../select/learned/read-learned.ts"),
  ]);
  return { createSelector: selecting.createSelector, readLearned: learning.readLearned };
}
