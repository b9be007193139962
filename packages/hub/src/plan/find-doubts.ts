import type { Candidate } from "../candidate/candidate.ts";
import type { LockEntry } from "../lock/lock-entry.ts";
import { findDowngrade } from "./find-downgrade.ts";
import { findMove } from "./find-move.ts";
import type { HubParts } from "./hub-parts.ts";
import type { PlanItem } from "./plan.ts";

/** Why another version may not be the one that somebody wants, whatever it can do. */
type Doubts = Pick<PlanItem, "downgrade" | "move">;

/** Looks for doubts about news; whoever goes back, or brings back what the lock says, means exactly that. */
export async function findDoubts(
  parts: HubParts,
  news: {
    readonly before: LockEntry;
    readonly candidate: Candidate;
    readonly action: "update" | "rollback" | "restore" | undefined;
  },
): Promise<Doubts> {
  const { before, candidate, action } = news;
  if (action === "rollback" || action === "restore") return {};
  const downgrade = await findDowngrade(parts, before, candidate);
  const move = findMove(before.resolved, candidate.resolved);
  return { ...(downgrade !== undefined && { downgrade }), ...(move !== undefined && { move }) };
}
