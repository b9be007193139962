/** One line of a difference. */
export interface DiffLine {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

/** The most steps between two texts that are searched for; beyond it everything counts as replaced. */
const MAX_EDITS = 1_000;
const CONTEXT_LINES = 3;

/** Compares two texts line by line, with the fewest changes, in bounded time and memory. */
export function lineDiff(before: string, after: string): readonly DiffLine[] {
  const left = splitLines(before);
  const right = splitLines(after);
  let start = 0;
  while (start < left.length && start < right.length && left[start] === right[start]) start += 1;
  let leftEnd = left.length;
  let rightEnd = right.length;
  while (leftEnd > start && rightEnd > start && left[leftEnd - 1] === right[rightEnd - 1]) {
    leftEnd -= 1;
    rightEnd -= 1;
  }
  return [
    ...left.slice(0, start).map((text): DiffLine => ({ kind: "same", text })),
    ...diffMiddle(left.slice(start, leftEnd), right.slice(start, rightEnd)),
    ...left.slice(leftEnd).map((text): DiffLine => ({ kind: "same", text })),
  ];
}

/** A difference as people read it: changed lines with three around them, headed like `@@ -1,3 +1,4 @@`; empty for none. */
export function renderDiff(lines: readonly DiffLine[]): string {
  const shown = new Set<number>();
  for (const [index, line] of lines.entries())
    if (line.kind !== "same")
      for (let near = index - CONTEXT_LINES; near <= index + CONTEXT_LINES; near++) shown.add(near);
  const output: string[] = [];
  let hunk: DiffLine[] = [];
  let [leftLine, rightLine] = [1, 1];
  let [leftStart, rightStart] = [1, 1];
  const flush = (): void => {
    if (hunk.length === 0) return;
    const count = (kind: DiffLine["kind"]): number => hunk.filter((line) => line.kind !== kind).length;
    output.push(`@@ -${leftStart},${count("added")} +${rightStart},${count("removed")} @@`);
    for (const { kind, text } of hunk)
      output.push(`${kind === "same" ? " " : kind === "added" ? "+" : "-"}${text}`);
    hunk = [];
  };
  for (const [index, line] of lines.entries()) {
    if (shown.has(index)) {
      if (hunk.length === 0) [leftStart, rightStart] = [leftLine, rightLine];
      hunk.push(line);
    } else flush();
    if (line.kind !== "added") leftLine += 1;
    if (line.kind !== "removed") rightLine += 1;
  }
  flush();
  return output.join("\n");
}

function splitLines(text: string): readonly string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  else lines[lines.length - 1] += "\n\\ no newline at the end";
  return lines;
}

// Myers' greedy search; the frontier of each step is kept to walk back, which MAX_EDITS bounds to a few megabytes.
function diffMiddle(left: readonly string[], right: readonly string[]): readonly DiffLine[] {
  const limit = Math.min(left.length + right.length, MAX_EDITS);
  const frontiers: Int32Array[] = [];
  let frontier = new Int32Array(3);
  for (let edits = 0; edits <= limit; edits++) {
    const next = new Int32Array(2 * edits + 3);
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = stepTo(frontier, edits, diagonal);
      while (x < left.length && x - diagonal < right.length && left[x] === right[x - diagonal]) x += 1;
      next[diagonal + edits + 1] = x;
      if (x >= left.length && x - diagonal >= right.length) return walkBack(frontiers, left, right);
    }
    frontiers.push(next);
    frontier = next;
  }
  return [
    ...left.map((text): DiffLine => ({ kind: "removed", text })),
    ...right.map((text): DiffLine => ({ kind: "added", text })),
  ];
}

// A frontier of `edits - 1` steps has diagonal d at index d + edits.
function stepTo(frontier: Int32Array, edits: number, diagonal: number): number {
  if (edits === 0) return 0;
  const below = frontier[diagonal - 1 + edits] ?? 0;
  const above = frontier[diagonal + 1 + edits] ?? 0;
  return goesDown(frontier, edits, diagonal) ? above : below + 1;
}

function goesDown(frontier: Int32Array, edits: number, diagonal: number): boolean {
  if (diagonal === -edits) return true;
  if (diagonal === edits) return false;
  return (frontier[diagonal - 1 + edits] ?? 0) < (frontier[diagonal + 1 + edits] ?? 0);
}

function walkBack(
  frontiers: readonly Int32Array[],
  left: readonly string[],
  right: readonly string[],
): readonly DiffLine[] {
  const reversed: DiffLine[] = [];
  let x = left.length;
  let y = right.length;
  for (let edits = frontiers.length; edits > 0; edits--) {
    const frontier = frontiers[edits - 1] ?? new Int32Array();
    const diagonal = x - y;
    const isDown = goesDown(frontier, edits, diagonal);
    const previous = isDown ? diagonal + 1 : diagonal - 1;
    const startX = frontier[previous + edits] ?? 0;
    const startY = startX - previous;
    const [afterX, afterY] = isDown ? [startX, startY + 1] : [startX + 1, startY];
    for (; x > afterX && y > afterY; x--, y--) reversed.push({ kind: "same", text: left[x - 1] ?? "" });
    if (isDown) reversed.push({ kind: "added", text: right[startY] ?? "" });
    else reversed.push({ kind: "removed", text: left[startX] ?? "" });
    [x, y] = [startX, startY];
  }
  for (; x > 0; x--) reversed.push({ kind: "same", text: left[x - 1] ?? "" });
  return reversed.reverse();
}
