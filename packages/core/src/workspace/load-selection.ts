import type { createSelector } from "@skillet/select";
import type { readLearned } from "../learned/learned-file.ts";

interface SelectionModule {
  readonly createSelector: typeof createSelector;
  readonly readLearned: typeof readLearned;
}

/** Most programs never rank. A file of its own, because the command's build puts another in its place. */
export async function loadSelection(): Promise<SelectionModule> {
  const [selecting, learning] = await Promise.all([
    import("@skillet/select"),
    import("../learned/learned-file.ts"),
  ]);
  return { createSelector: selecting.createSelector, readLearned: learning.readLearned };
}
