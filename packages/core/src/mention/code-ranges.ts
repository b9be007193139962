import { codeSpans } from "./code-spans.ts";
import { markdownBlocks, type TextRange } from "./markdown-blocks.ts";

/** The parts of a Markdown text that are code, blocks and spans, in order. */
export function codeRanges(text: string): TextRange[] {
  const ranges: TextRange[] = [];
  for (const block of markdownBlocks(text)) {
    if (block.kind === "code") ranges.push(block);
    else for (const span of codeSpans(text, block.lines)) ranges.push(span);
  }
  return ranges;
}

/** Whether a place lies in one of the ranges, which are in order; ask with growing places. */
export function createRangeTest(ranges: readonly TextRange[]): (at: number) => boolean {
  let index = 0;
  return (at) => {
    while ((ranges[index]?.end ?? Number.POSITIVE_INFINITY) <= at) index++;
    return (ranges[index]?.start ?? Number.POSITIVE_INFINITY) <= at;
  };
}
