export { type MarkdownBlock, markdownBlocks, type TextRange } from "./markdown/blocks.ts";
export { codeRanges, codeSpans, createRangeTest } from "./markdown/code-spans.ts";
