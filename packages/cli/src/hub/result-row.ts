import type { HubResult, PlanItem } from "@skillet/hub";

type Report = PlanItem["report"];

/** What a scan said of one name's bytes, as documents have it. */
export interface RowInspection {
  readonly verdict: Report["verdict"];
  readonly origin: PlanItem["origin"];
  readonly capabilities: Report["capabilities"];
  /** Worst first. */
  readonly findings: readonly Pick<
    Report["findings"][number],
    "rule" | "severity" | "file" | "line" | "message"
  >[];
  /** How many were left out. */
  readonly moreFindings?: number;
}

/** One name in the documents of `install`, `update`, `remove` and `rollback`. */
export type ResultRow = Omit<HubResult, "outcome"> &
  Partial<RowInspection> & {
    readonly outcome: HubResult["outcome"] | "kept" | "pinned" | "linked";
    /** What the lock had it pinned to. */
    readonly before?: PlanItem["entry"]["resolved"];
  };

/** The outcomes that mean no. */
export function isRefusal({ outcome }: ResultRow): boolean {
  return ["blocked", "refused", "failed", "declined", "skipped"].includes(outcome);
}
