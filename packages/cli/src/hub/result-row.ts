import type { HubResult } from "@skillet/hub";

/** One name in the documents of `install`, `update`, `remove` and `rollback`. */
export type ResultRow = Omit<HubResult, "outcome"> & {
  readonly outcome: HubResult["outcome"] | "kept" | "pinned";
};

/** The outcomes that mean no. */
export function isRefusal({ outcome }: ResultRow): boolean {
  return ["blocked", "refused", "declined", "skipped"].includes(outcome);
}
