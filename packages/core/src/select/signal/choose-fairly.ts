import { compareByteOrder } from "@skillet/kit/order";

/** A pattern and the skill whose author declared it. */
export interface PlacedPattern {
  readonly place: number;
  readonly skill: number;
  /** The qualified name of the skill. */
  readonly owner: string;
  /** Who brought the skill: one plugin, or all skills of one origin. */
  readonly bringer: string;
  readonly source: string;
}

/**
 * The patterns that fit a budget: those who bring skills take turns, in each the skills of one do, and what has cost
 * less so far comes first.
 *
 * One plugin with a thousand skills takes no place from another, one skill with a thousand patterns none from those that
 * have one, and nothing depends on who was indexed first.
 */
export function chooseFairly(
  patterns: readonly PlacedPattern[],
  { costOf, budget }: { readonly costOf: (source: string) => number; readonly budget: number },
): readonly PlacedPattern[] {
  const ofSkills = takeTurns(patterns, { turnOf: ({ owner }) => owner, costOf });
  const ofBringers = takeTurns(ofSkills, { turnOf: ({ bringer }) => bringer, costOf });
  const chosen: PlacedPattern[] = [];
  let spent = 0;
  for (const pattern of ofBringers) {
    spent += costOf(pattern.source);
    if (spent > budget) break;
    chosen.push(pattern);
  }
  return chosen;
}

/** Sorts by what each has cost up to and with this pattern; each one's own patterns stay in order. */
function takeTurns(
  patterns: readonly PlacedPattern[],
  by: { readonly turnOf: (pattern: PlacedPattern) => string; readonly costOf: (source: string) => number },
): readonly PlacedPattern[] {
  const spent = new Map<string, number>();
  return patterns
    .map((pattern) => {
      const turn = by.turnOf(pattern);
      const cost = (spent.get(turn) ?? 0) + by.costOf(pattern.source);
      spent.set(turn, cost);
      return { pattern, turn, cost };
    })
    .sort(
      (left, right) =>
        left.cost - right.cost ||
        compareByteOrder(left.turn, right.turn) ||
        compareByteOrder(left.pattern.owner, right.pattern.owner),
    )
    .map(({ pattern }) => pattern);
}
