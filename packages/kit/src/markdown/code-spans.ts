import { markdownBlocks, type TextRange } from "./blocks.ts";

export interface CodeSpan extends TextRange {
  readonly ticks: number;
}

/** Linear: looks at every run of backticks once, whatever their numbers and lengths. */
export function* codeSpans(text: string, lines: readonly TextRange[]): Generator<CodeSpan> {
  const runs = findRuns(text, lines);
  // For each run, the next one that can close it.
  const next = new Array<number>(runs.length).fill(-1);
  const nextOfLength = new Map<number, number>();
  for (let index = runs.length - 1; index >= 0; index--) {
    const run = runs[index] as Run;
    next[index] = nextOfLength.get(run.end - openingOf(run)) ?? -1;
    nextOfLength.set(run.end - run.start, index);
  }
  for (let index = 0; index < runs.length; index++) {
    const run = runs[index] as Run;
    const closing = runs[next[index] ?? -1];
    if (closing === undefined) continue;
    yield { start: openingOf(run), end: closing.end, ticks: run.end - openingOf(run) };
    index = next[index] as number;
  }
}

interface Run extends TextRange {
  /** After a backslash, which matters where a span would begin, but not inside one. */
  readonly isEscaped: boolean;
}

function openingOf({ start, isEscaped }: Run): number {
  return isEscaped ? start + 1 : start;
}

function findRuns(text: string, lines: readonly TextRange[]): Run[] {
  const runs: Run[] = [];
  for (const { start, end } of lines)
    for (const match of text.slice(start, end).matchAll(/`+/g)) {
      const at = start + match.index;
      let slash = at;
      while (slash > start && text.charAt(slash - 1) === "\\") slash--;
      runs.push({ start: at, end: at + match[0].length, isEscaped: (at - slash) % 2 === 1 });
    }
  return runs;
}

export function codeRanges(text: string): TextRange[] {
  const ranges: TextRange[] = [];
  for (const block of markdownBlocks(text)) {
    if (block.kind === "code" || block.kind === "html") ranges.push({ start: block.start, end: block.end });
    else for (const span of codeSpans(text, block.lines)) ranges.push(span);
  }
  return ranges;
}

/** Whether a position is in one of the sorted ranges; positions must be asked in ascending order. */
export function createRangeTest(ranges: readonly TextRange[]): (at: number) => boolean {
  let index = 0;
  return (at) => {
    while ((ranges[index]?.end ?? Number.POSITIVE_INFINITY) <= at) index++;
    return (ranges[index]?.start ?? Number.POSITIVE_INFINITY) <= at;
  };
}
