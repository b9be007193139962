import type { createSelector } from "@skillet/select";
import type { readLearned } from "../learned/learned-file.ts";

/** Most programs never rank. In a file of its own, because the command's build replaces it. */
export async function loadSelection(): Promise<{
  readonly createSelector: typeof createSelector;
  readonly readLearned: typeof readLearned;
}> {
  const [selecting, learning] = await Promise.all([
    import("@skillet/select"),
    import("../learned/learned-file.ts"),
  ]);
  return { createSelector: selecting.createSelector, readLearned: learning.readLearned };
}
