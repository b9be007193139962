/** A line that is only in the old text or only in the new one. */
export interface ChangedLine {
  readonly sign: "-" | "+";
  readonly text: string;
}

// The table below has one cell for each pair of lines; beyond this the whole run is shown as replaced.
const MAX_CELLS = 250_000;

/** The lines in which two texts differ, in order. */
export function changedLines(before: string, after: string): readonly ChangedLine[] {
  const [old, now] = [before.split(/\r\n|\n|\r/), after.split(/\r\n|\n|\r/)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  const shorter = Math.min(old.length, now.length) - start;
  while (end < shorter && old[old.length - 1 - end] === now[now.length - 1 - end]) end += 1;
  return compare(old.slice(start, old.length - end), now.slice(start, now.length - end));
}

function compare(old: readonly string[], now: readonly string[]): readonly ChangedLine[] {
  const removed = (text: string): ChangedLine => ({ sign: "-", text });
  const added = (text: string): ChangedLine => ({ sign: "+", text });
  if (old.length * now.length > MAX_CELLS) return [...old.map(removed), ...now.map(added)];
  const common = commonLengths(old, now);
  const lines: ChangedLine[] = [];
  let [left, right] = [0, 0];
  while (left < old.length || right < now.length) {
    if (left < old.length && right < now.length && old[left] === now[right]) {
      left += 1;
      right += 1;
    } else if (
      right >= now.length ||
      (left < old.length && at(common, left + 1, right) >= at(common, left, right + 1))
    ) {
      lines.push(removed(old[left] ?? ""));
      left += 1;
    } else {
      lines.push(added(now[right] ?? ""));
      right += 1;
    }
  }
  return lines;
}

/** How many lines the rests of both texts have in common, for every pair of beginnings. */
function commonLengths(old: readonly string[], now: readonly string[]): readonly (readonly number[])[] {
  const table = Array.from({ length: old.length + 1 }, () => new Array<number>(now.length + 1).fill(0));
  for (let left = old.length - 1; left >= 0; left -= 1) {
    const row = table[left] ?? [];
    for (let right = now.length - 1; right >= 0; right -= 1) {
      const same = old[left] === now[right];
      row[right] = same
        ? at(table, left + 1, right + 1) + 1
        : Math.max(at(table, left + 1, right), at(table, left, right + 1));
    }
  }
  return table;
}

function at(table: readonly (readonly number[])[], left: number, right: number): number {
  return table[left]?.[right] ?? 0;
}
