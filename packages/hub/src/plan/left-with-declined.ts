import type { PlanItem } from "./plan.ts";

/**
 * What cannot go on without those that were declined, with why: versions that newly need one of them, and what only one
 * of them would have brought along.
 */
export function leftWithDeclined(
  items: readonly PlanItem[],
  declined: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const left = new Map<string, string>();
  const isOut = (name: string): boolean => declined.has(name) || left.has(name);
  const isNewlyOut = (name: string): boolean =>
    isOut(name) && items.some((item) => item.name === name && item.before === undefined);
  for (let size = -1; size !== left.size; ) {
    size = left.size;
    for (const { name, entry, before } of items) {
      if (isOut(name)) continue;
      const needed = entry.requires?.find(isNewlyOut);
      const bringers = before === undefined ? (entry.requiredBy ?? []) : [];
      if (needed !== undefined) left.set(name, `It was left as it is, because it now needs ${needed}.`);
      else if (bringers.length > 0 && bringers.every(isOut))
        left.set(name, `It was not installed, because only ${bringers.join(", ")} would have needed it.`);
    }
  }
  return left;
}
