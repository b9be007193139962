/** Counts comparisons, so that no pattern can take longer than its limit. */
export interface StepCounter {
  /** Below zero: given up. */
  left: number;
}

/**
 * Whether a row of items consists of these runs, in this order, with anything or nothing between them.
 *
 * The first run stands at the beginning, the last at the end, and each between is taken where it first fits: since
 * runs have a fixed length, that is exact, and nothing is ever taken back.
 */
export function fitsRuns<Item, Pattern>(
  items: readonly Item[],
  runs: readonly (readonly Pattern[])[],
  options: { readonly fits: (item: Item, pattern: Pattern) => boolean; readonly steps: StepCounter },
): boolean {
  const first = runs[0] ?? [];
  const last = runs.length > 1 ? (runs.at(-1) ?? []) : [];
  if (runs.length < 2 && items.length !== first.length) return false;
  const end = items.length - last.length;
  if (first.length > end || !fitsAt(0, first) || !fitsAt(end, last)) return false;
  let position = first.length;
  for (const run of runs.slice(1, -1)) {
    while (position + run.length <= end && !fitsAt(position, run)) position += 1;
    position += run.length;
    if (position > end) return false;
  }
  return true;

  function fitsAt(start: number, run: readonly Pattern[]): boolean {
    return run.every((pattern, offset) => {
      options.steps.left -= 1;
      return options.steps.left >= 0 && options.fits(items[start + offset] as Item, pattern);
    });
  }
}
