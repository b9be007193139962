import type { PlanItem } from "../plan/plan.ts";

/**
 * What answers the questions about an item where nobody can be asked: a yes to what it can do, insisting, or nothing but
 * to install it by itself.
 */
export type NeededAnswer = "accept-capabilities" | "force" | "own-install";

/** Says which word beforehand answers the questions about an item; each is for its own kind of doubt, and no other. */
export function neededAnswer({
  decision,
  downgrade,
  move,
  overridden,
  before,
  entry,
}: PlanItem): NeededAnswer {
  // Nobody asked for what another skill brings along, so that nothing said about that one is about this.
  if (before === undefined && entry.requiredBy !== undefined) return "own-install";
  if (decision.outcome !== "allow") return "force";
  // What stands in the way is not what it can do, but whether it is the right thing at all.
  const isDoubtful = overridden === undefined && (downgrade !== undefined || move !== undefined);
  return isDoubtful ? "force" : "accept-capabilities";
}
