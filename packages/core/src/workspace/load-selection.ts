import type { createSelector } from "../select/create-selector.ts";
import type { readLearned } from "../select/learned/read-learned.ts";

/** What ranks skills against messages, and what reads how use has taught it to. */
export interface SelectionModule {
  readonly createSelector: typeof createSelector;
  readonly readLearned: typeof readLearned;
}

/** Loads the selector when it is first asked for: most programs that list or load skills never rank any. */
export async function loadSelection(): Promise<SelectionModule> {
  const [selecting, learning] = await Promise.all([
    import("../select/create-selector.ts"),
    import("../select/learned/read-learned.ts"),
  ]);
  return { createSelector: selecting.createSelector, readLearned: learning.readLearned };
}
