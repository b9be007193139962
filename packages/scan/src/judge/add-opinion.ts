import type { KnownOpinion } from "@skillet/core/internal";
import type { Verdict } from "../scan-report.ts";
import { worseVerdict } from "../verdict/decide-verdict.ts";

// More judges than anyone has; the mildest go first.
const MAX_OPINIONS = 8;

/** Puts an opinion in the place of the same judge's earlier one; without one, what is known stays as it is. */
export function addOpinion(
  known: readonly KnownOpinion[],
  opinion: KnownOpinion | undefined,
): readonly KnownOpinion[] {
  if (opinion === undefined) return known;
  const others = known.filter(({ by }) => by !== opinion.by);
  const rank = ({ verdict }: KnownOpinion): number => RANK[worseVerdict(verdict, verdict)];
  return [opinion, ...others.toSorted((left, right) => rank(right) - rank(left))]
    .slice(0, MAX_OPINIONS)
    .sort((left, right) => (left.by < right.by ? -1 : 1));
}

const RANK: Readonly<Record<Verdict, number>> = { safe: 0, caution: 1, dangerous: 2 };
