/** How many patterns, and how much text, the braces of one skill may stand for. */
export interface ExpansionLimits {
  patterns: number;
  characters: number;
}

/**
 * Writes out `{a,b}`, also inside one another; undefined, with nothing left of the limits, where that is too much.
 *
 * Braces without a comma, without a partner or behind a backslash are text.
 */
export function expandBraces(pattern: string, limits: ExpansionLimits): readonly string[] | undefined {
  const waiting = [pattern];
  const expanded: string[] = [];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    limits.characters -= next.length;
    const group = findGroup(next);
    if (group === undefined) {
      expanded.push(next);
      limits.patterns -= 1;
    } else {
      const before = next.slice(0, group.start);
      const after = next.slice(group.end + 1);
      // The last in goes out first, and the order of the alternatives is kept.
      for (let index = group.cuts.length - 1; index > 0; index -= 1)
        waiting.push(before + next.slice((group.cuts[index - 1] ?? 0) + 1, group.cuts[index]) + after);
    }
    if (limits.characters < 0 || limits.patterns < waiting.length) {
      limits.patterns = 0;
      limits.characters = 0;
      return undefined;
    }
  }
  return expanded;
}

/** A pair of braces with commas between them. */
interface BraceGroup {
  readonly start: number;
  readonly end: number;
  /** Where the alternatives are cut: at the braces and the commas. */
  readonly cuts: readonly number[];
}

/** The first outermost group, in one pass. */
function findGroup(pattern: string): BraceGroup | undefined {
  const open: number[][] = [];
  let found: BraceGroup | undefined;
  for (let index = 0; index < pattern.length; index += 1) {
    const character = pattern[index];
    if (character === "\\") index += 1;
    else if (character === "{") open.push([index]);
    else if (character === ",") open.at(-1)?.push(index);
    else if (character === "}") {
      const cuts = open.pop();
      const start = cuts?.[0];
      if (cuts === undefined || start === undefined || cuts.length < 2) continue;
      if (found === undefined || start < found.start) found = { start, end: index, cuts: [...cuts, index] };
      if (open.length === 0) return found;
    }
  }
  return found;
}
